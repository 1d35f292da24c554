use super::*;

#[tokio::test]
async fn rejects_a_malformed_delegation_header() {
    // L-13
    let world = World::open();
    let holder = account(1).to_string();
    for value in [
        "",
        "0x",
        "holder.eth",
        &holder[..41],
        &holder[2..],
        &format!("{holder}0"),
        &format!("{holder}, {holder}"),
        &holder.replace('9', "g"),
    ] {
        let answer = world
            .call(&Caller::new(2), &[("x-delegate-for", value)])
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_delegate_for".to_owned()),
            "{value}"
        );
    }
    let twice = [
        ("x-delegate-for", holder.as_str()),
        ("X-Delegate-For", &holder),
    ];
    let answer = world.call(&Caller::new(2), &twice).await;
    assert_eq!(answer.status, 400);
    assert_eq!(world.handler.count(), 0);
}

#[tokio::test]
async fn an_agent_acts_for_a_holder_until_the_delegation_is_revoked() {
    // L-14, L-15, L-16
    let world = World::start(|chain| {
        chain.place_mock("StandInDelegateRegistry", DELEGATE_REGISTRY);
        chain.register(Address::ZERO)
    });
    let (holder, agent) = (account(1), Caller::new(2));
    let delegate = |enable| {
        let call = delegateAllCall {
            to: agent.address(),
            rights: B256::ZERO,
            enable,
        };
        world.chain.send(holder, DELEGATE_REGISTRY, &call);
    };
    let lower_case = holder.to_string().to_lowercase();
    let headers = [("x-delegate-for", lower_case.as_str())];
    let refused = world.call(&agent, &headers).await;
    assert_eq!(
        (refused.status, refused.code()),
        (403, "not_delegated".to_owned())
    );
    assert!(
        refused.json()["hint"]
            .as_str()
            .unwrap()
            .contains("delegate.xyz")
    );
    delegate(true);
    assert_eq!(world.call(&agent, &headers).await.status, 200);
    let call = world.handler.calls().pop().unwrap();
    let context = call.context.unwrap();
    assert_eq!(
        (context.caller, context.agent),
        (holder, Some(agent.address()))
    );
    let header = |name: &str| call.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("x-tool-caller"), holder.to_string());
    assert_eq!(header("x-tool-agent"), agent.address().to_string());
    assert!(!call.headers.contains_key("x-delegate-for"));
    delegate(false);
    assert_eq!(world.call(&agent, &headers).await.status, 403);
}

#[tokio::test]
async fn the_predicate_decides_on_the_holder() {
    // L-15
    let world = World::start(|chain| {
        chain.place_mock("StandInDelegateRegistry", DELEGATE_REGISTRY);
        // Only the holder is on the list: a Merkle tree of one account.
        let predicate = chain.deploy_predicate(&MERKLE_ALLOWLIST_PREDICATE);
        let tool = chain.register(predicate);
        let allowlist = Allowlist::try_new(tool.id(), [account(1)]).unwrap();
        let call = MerkleAllowlistPredicate::setAllowlistRootCall {
            toolId: tool.id(),
            root: allowlist.root(),
        };
        chain.send(account(0), predicate, &call);
        tool
    });
    let delegation = delegateAllCall {
        to: account(2),
        rights: B256::ZERO,
        enable: true,
    };
    world.chain.send(account(1), DELEGATE_REGISTRY, &delegation);
    let holder = account(1).to_string();
    let allowlist = Allowlist::try_new(world.config.tool.id(), [account(1)]).unwrap();
    let data = hex::encode_prefixed(allowlist.call_data(account(1)));
    let proof = ("x-access-data", data.as_str());
    let agent = Caller::new(2);
    let answer = world
        .call(&agent, &[proof, ("x-delegate-for", &holder)])
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(world.call(&agent, &[proof]).await.status, 403);
    // Without the proof the predicate cannot tell.
    let answer = world.call(&Caller::new(1), &[]).await;
    assert_ne!(answer.status, 200);
    for data in ["0x1", "00", "0xzz", &format!("0x{}", "00".repeat(5000))] {
        let answer = world
            .call(&Caller::new(1), &[("x-access-data", data)])
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_access_data".to_owned())
        );
    }
}

#[tokio::test]
async fn a_delegation_registry_that_fails_is_a_bad_gateway() {
    // L-14
    let world = World::open();
    let holder = account(1).to_string();
    let answer = world
        .call(&Caller::new(2), &[("x-delegate-for", &holder)])
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "delegation_registry_failed".to_owned())
    );
}
