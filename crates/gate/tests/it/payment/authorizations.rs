use super::*;

#[tokio::test]
async fn a_repeated_request_gets_the_stored_answer() {
    // L-21
    let world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let first = world.send(&gate, post(&[(name, &value)])).await;
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.body, again.body);
    assert_eq!(receipt(&first), receipt(&again));
    assert_eq!(again.header("content-type"), Some("application/json"));
    assert_eq!(world.handler.count(), 1);
    // Another body, path or method is another request.
    let body = request(Method::POST, &[(name, &value)], r#"{"query":"other"}"#);
    let mut path = post(&[(name, &value)]);
    *path.uri_mut() = "/oracle?x=1".parse().unwrap();
    let method = request(Method::PUT, &[(name, &value)], r#"{"query":"hello"}"#);
    for other in [body, path, method] {
        let answer = world.send(&gate, other).await;
        assert_eq!(
            (answer.status, answer.code()),
            (402, "payment_authorization_already_used".to_owned())
        );
        assert!(answer.json()["accepts"].is_array());
    }
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_payment_for_one_tool_does_not_open_another() {
    // T-42
    let mut world = World::start();
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    assert_eq!(world.send(&gate, post(&[(name, &value)])).await.status, 200);
    world.config.tool = world.chain.register(Address::ZERO);
    let other = world.gate();
    let answer = world.send(&other, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_authorization_already_used".to_owned())
    );
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_replays_run_the_handler_once() {
    // L-21, T-42
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let world = Arc::new(world);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let tasks: Vec<_> = (0..1000)
        .map(|_| {
            let (world, gate, value) = (world.clone(), gate.clone(), value.clone());
            tokio::spawn(async move { world.send(&gate, post(&[(name, &value)])).await.status })
        })
        .collect();
    // The handler answers when all others were turned away.
    let mut statuses = Vec::new();
    let mut tasks = futures_util::stream::FuturesUnordered::from_iter(tasks);
    while let Some(status) = futures_util::StreamExt::next(&mut tasks).await {
        statuses.push(status.unwrap());
        if statuses.len() == 999 {
            permits.add_permits(1);
        }
    }
    let in_progress = statuses.iter().filter(|status| **status == 409).count();
    assert_eq!(
        (statuses.len(), in_progress, statuses[999]),
        (1000, 999, 200)
    );
    assert_eq!(world.handler.count(), 1);
    assert_eq!(world.facilitator.count("verify"), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_caller_that_goes_away_finds_its_answer() {
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    {
        let request = world.send(&gate, post(&[(name, &value)]));
        let handler_runs = async {
            while world.handler.count() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = request => panic!("the handler waits"),
            () = handler_runs => {}
        }
    }
    permits.add_permits(1);
    let answer = loop {
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        if answer.status != 409 {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_cancelled_authorization_gets_a_new_challenge() {
    let mut world = World::start();
    world.payments().deadline = Duration::from_millis(300);
    let gate = world.gate();
    let caller = Caller::new(1);
    let challenge = world.challenge(&gate).await;
    let authorization = caller.authorization(&challenge, world.now);
    let signed = caller.sign(authorization);
    let header = challenge.payment_header(&challenge.requirements[0], signed);
    // The payer cancels while the handler runs.
    let cancellation = crate::chain::cancellation(&caller.signer, authorization.nonce);
    let anvil = world.chain.anvil.url.clone();
    world.handler = Handler::new(move || {
        crate::chain::send_raw(&anvil, usdc().address(), &cancellation);
        Response::new(Full::new(Bytes::from_static(b"{}")))
    });
    let answer = world
        .send(&gate, post(&[(header.name, &header.value)]))
        .await;
    assert_eq!(
        (answer.status, answer.code()),
        (402, "payment_cancelled".to_owned())
    );
    world.assert_paid(0);
}

/// Initialization code that makes calls of the token, so that they are in one transaction.
fn batch(calls: &[Vec<u8>]) -> Bytes {
    let push = |code: &mut Vec<u8>, value: usize| {
        code.push(0x61);
        code.extend(u16::try_from(value).unwrap().to_be_bytes());
    };
    let header = calls.len() * 49 + 1;
    let (mut code, mut offset) = (Vec::new(), header);
    for call in calls {
        // CODECOPY(0, offset, size)
        push(&mut code, call.len());
        push(&mut code, offset);
        push(&mut code, 0);
        code.push(0x39);
        // CALL(gas, token, 0, 0, size, 0, 0)
        push(&mut code, 0);
        push(&mut code, 0);
        push(&mut code, call.len());
        push(&mut code, 0);
        push(&mut code, 0);
        code.push(0x73);
        code.extend(usdc().address());
        code.extend([0x5a, 0xf1, 0x50]);
        offset += call.len();
    }
    code.push(0);
    assert_eq!(code.len(), header);
    code.extend(calls.concat());
    code.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_pays_for_its_own_authorization_only() {
    // L-20: a nonce belongs to the payer. Two of three are used for transfers of nothing to the payer itself, in the
    // transaction that pays for the third.
    let mut world = World::start();
    let permits = Arc::new(Semaphore::new(0));
    world.handler = world.handler.clone().waiting_for(&permits);
    let world = Arc::new(world);
    let (gate, caller) = (world.gate(), Caller::new(1));
    let challenge = world.challenge(&gate).await;
    let (mut calls, mut tasks) = (Vec::new(), Vec::new());
    for is_paid in [false, true, false] {
        let authorization = caller.authorization(&challenge, world.now);
        let signed = caller.sign(authorization);
        let other = Authorization {
            to: caller.address(),
            value: U256::ZERO,
            ..authorization
        };
        let used = if is_paid {
            signed.clone()
        } else {
            caller.sign(other)
        };
        calls.push(transfer_call(&used));
        let header = challenge.payment_header(&challenge.requirements[0], signed);
        let (world, gate) = (world.clone(), gate.clone());
        tasks.push(tokio::spawn(async move {
            let request = post(&[(header.name, &header.value)]);
            world.send(&gate, request).await
        }));
    }
    while world.handler.count() < 3 {
        tokio::task::yield_now().await;
    }
    world.chain.deploy(&batch(&calls).to_vec().into());
    world.assert_paid(1);
    permits.add_permits(3);
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    for (answer, is_paid) in answers.iter().zip([false, true, false]) {
        if is_paid {
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(receipt(answer).transaction.is_some());
        } else {
            let code = "payment_cancelled".to_owned();
            assert_eq!((answer.status, answer.code()), (402, code));
            assert!(!answer.body.windows(5).any(|part| part == b"hello"));
        }
    }
    world.assert_paid(1);
}

#[tokio::test]
async fn a_used_nonce_without_its_log_is_unknown_and_not_paid() {
    // L-20: the logs of a node can lag behind its state.
    let mut world = World::start();
    let lagging = RpcProxy::start(&world.chain.anvil.url, |request| {
        match request.method.as_str() {
            "eth_getLogs" => Action::Return(json!([])),
            _ => Action::Forward,
        }
    });
    world.payments().deadline = Duration::from_millis(300);
    let healthy = world.payments().node.replace(node(&lagging.url));
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::ClaimFailed);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_unknown".to_owned())
    );
    assert!(!answer.body.windows(5).any(|part| part == b"hello"));
    world.payments().node = healthy;
    let answer = world.send(&world.gate(), post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
}

#[tokio::test]
async fn an_expired_payment_gets_its_answer_and_nothing_else() {
    // L-21
    let mut world = World::start();
    let gate = world.gate();
    let (paid, unused) = (world.payment(&gate).await, world.payment(&gate).await);
    let answer = world.send(&gate, post(&[(paid.0, &paid.1)])).await;
    assert_eq!(answer.status, 200);
    // Clients sign at most 300 seconds ahead; the answer is kept for 600 seconds more.
    for (seconds, status) in [(301, 200), (800, 200), (901, 401)] {
        let now = world.now + seconds;
        world.config.clock = Clock::new(move || now);
        let later = world.gate();
        let again = world.send(&later, post(&[(paid.0, &paid.1)])).await;
        assert_eq!(again.status, status, "{again:?}");
        let refused = world.send(&later, post(&[(unused.0, &unused.1)])).await;
        assert_eq!(
            (refused.status, refused.code()),
            (401, "expired".to_owned())
        );
        let other = request(Method::POST, &[(paid.0, &paid.1)], r#"{"query":"x"}"#);
        let other = world.send(&later, other).await;
        assert!(matches!(other.status, 401 | 402), "{other:?}");
    }
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn another_process_takes_over_after_a_crash() {
    let mut world = World::start();
    // Two gates with their own records, as in two processes, and one store.
    let store = Arc::new(MemoryStore::default());
    let now = world.now;
    let mut process = || {
        let clock = Clock::new(move || now);
        world.payments().records = PaymentRecords::new(store.clone(), clock);
        GateLayer::new(Arc::new(Gate::new(world.config.clone()).unwrap()))
    };
    let (first, second) = (process(), process());
    // The first process is gone while the handler runs: nothing was settled, the second starts again.
    let permits = Arc::new(Semaphore::new(0));
    let good = world.handler.clone();
    world.handler = good.clone().waiting_for(&permits);
    let (name, value) = world.payment(&first).await;
    let service = first.layer(world.handler.clone());
    let request = tokio::spawn(service.oneshot(post(&[(name, &value)])));
    while world.handler.count() == 0 {
        tokio::task::yield_now().await;
    }
    request.abort();
    world.handler = good;
    let answer = world.send(&second, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
    // It wakes up: it must neither settle nor answer.
    permits.add_permits(1);
    let again = world.send(&second, post(&[(name, &value)])).await;
    assert_eq!((again.status, again.body), (200, answer.body));
    world.assert_paid(1);
}
