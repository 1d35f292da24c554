use super::*;

#[tokio::test]
async fn a_payment_that_the_facilitator_rejects_gets_the_challenge_and_the_reason() {
    // L-17, L-19
    let world = World::start();
    let gate = world.gate();
    // Account 2 has no funds.
    let challenge = world.challenge(&gate).await;
    let header = Caller::new(2).answer(&challenge, world.now);
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_invalid".to_owned())
    );
    assert_eq!(answer.json()["error"], "insufficient_funds");
    assert_eq!(
        answer.challenge().error.as_deref(),
        Some("insufficient_funds")
    );
    assert_eq!(world.handler.count(), 0);
    assert_eq!(world.facilitator.count("settle"), 0);
}

#[tokio::test]
async fn a_facilitator_that_does_not_verify_is_a_bad_gateway() {
    // T-40
    let mut world = World::start();
    for verify in [Verify::Status(429), Verify::Status(500), Verify::Disconnect] {
        world.facilitator.set_verify(verify);
        let gate = world.gate();
        let (name, value) = world.payment(&gate).await;
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(
            (answer.status, answer.code()),
            (502, "facilitator_unavailable".to_owned()),
            "{verify:?}"
        );
        // The payment is not used up.
        world.facilitator.set_verify(Verify::Honest);
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(answer.status, 200, "{verify:?}");
    }
    world.assert_paid(3);
    world.payments().facilitators = client(vec![FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    }]);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 502);
    world.assert_paid(3);
}

#[tokio::test]
async fn falls_back_to_another_facilitator() {
    let mut world = World::start();
    let busy = Facilitator::start(&world.chain.anvil.url, Log::default());
    busy.set_verify(Verify::Status(429));
    busy.set_settle(Settle::Status(429));
    let dead = FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    };
    let all = vec![dead, busy.config(), world.facilitator.config()];
    world.payments().facilitators = client(all);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!((busy.count("verify"), busy.count("settle")), (1, 1));
    world.assert_paid(1);
}

#[tokio::test]
async fn a_facilitator_is_asked_what_it_supports() {
    let world = World::start();
    let facilitators = &world.config.payments.as_ref().unwrap().facilitators;
    assert_eq!(facilitators.check(&price()).await, []);
    let monad = atr_auth::Network::from_chain_id(143).unwrap();
    let token = atr_auth::Token::usdc(monad).unwrap();
    let offer = Offer::new(token, U256::from(PRICE), OPERATOR);
    let problems = facilitators.check(&Offers::new(vec![offer]).unwrap()).await;
    assert!(
        matches!(&problems[..], [FacilitatorProblem::Unsupported { network, .. }] if *network == monad),
        "{problems:?}"
    );
    let dead = client(vec![FacilitatorConfig {
        url: "http://127.0.0.1:1".parse().unwrap(),
        headers: Vec::new(),
    }]);
    let problems = dead.check(&price()).await;
    assert!(matches!(
        &problems[..],
        [FacilitatorProblem::Unavailable { .. }]
    ));
}

#[tokio::test]
async fn a_facilitator_that_is_busy_is_asked_again_and_then_given_up() {
    let world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Status(429));
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert_eq!(world.facilitator.count("settle"), 4);
    world.assert_paid(0);
}

#[tokio::test]
async fn a_lost_answer_of_the_facilitator_is_found_on_the_chain() {
    let world = World::start();
    for settle in [Settle::LoseAnswer, Settle::ClaimFailed, Settle::Status(500)] {
        let gate = world.gate();
        let (name, value) = world.payment(&gate).await;
        let before = world.balance(OPERATOR);
        world.facilitator.set_settle(settle);
        let request = world.send(&gate, post(&[(name, &value)]));
        // After status 500 nothing happened: the request is repeated, and then honoured.
        if let Settle::Status(_) = settle {
            let (answer, ()) = tokio::join!(request, async {
                while world.facilitator.count("settle") < 4 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                world.facilitator.set_settle(Settle::Honest);
            });
            assert_eq!(answer.status, 200, "{answer:?}");
        } else {
            let answer = request.await;
            assert_eq!(answer.status, 200, "{settle:?} {answer:?}");
            let found = receipt(&answer).transaction.unwrap();
            assert_eq!(world.chain.anvil.receipt(&json!(found))["status"], "0x1");
        }
        assert_eq!(world.balance(OPERATOR), before + PRICE, "{settle:?}");
    }
    world.assert_paid(3);
    assert_eq!(world.handler.count(), 3);
}

#[tokio::test]
async fn a_pending_settlement_is_repeated_until_it_is_settled() {
    let mut world = World::start();
    // Without a node, only the facilitator knows.
    world.payments().node = None;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Pending(3));
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    let requests = world.facilitator.requests();
    let settles: Vec<_> = requests
        .iter()
        .filter(|(path, _)| path == "settle")
        .collect();
    assert_eq!(settles.len(), 4);
    assert!(
        settles
            .windows(2)
            .all(|pair| pair[0].1.body == pair[1].1.body)
    );
    world.assert_paid(1);
}

#[tokio::test]
async fn a_false_claim_of_settlement_is_noticed() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(100);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::ClaimSettled);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
    world.assert_paid(0);
    // The facilitator of the operator is believed if the operator says so.
    world.payments().confirms = false;
    let trusting = world.gate();
    let (name, value) = world.payment(&trusting).await;
    let answer = world.send(&trusting, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(0);
}

#[tokio::test]
async fn a_false_verification_gets_no_answer_without_payment() {
    let world = World::start();
    world.facilitator.set_verify(Verify::Claim(true));
    let gate = world.gate();
    let challenge = world.challenge(&gate).await;
    let header = Caller::new(2).answer(&challenge, world.now);
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
}

#[tokio::test]
async fn an_unknown_outcome_is_not_answered_with_402_and_is_resolved_later() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(300);
    // No node: nobody can tell what became of the settlement.
    let node = world.payments().node.take();
    let blind = world.gate();
    let (name, value) = world.payment(&blind).await;
    world.facilitator.set_settle(Settle::Hang);
    let answer = world.send(&blind, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(answer.header("retry-after").is_some());
    // The money has moved. The same request gets its answer, from the chain.
    world.assert_paid(1);
    world.payments().node = node;
    let gate = world.gate();
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert!(receipt(&answer).transaction.is_some());
    assert_eq!(
        (world.handler.count(), world.facilitator.count("settle")),
        (1, 1)
    );
    world.assert_paid(1);
}
