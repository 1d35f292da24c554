use super::*;

#[tokio::test]
async fn settling_before_the_handler_passes_the_transaction_on() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!(world.log.take(), ["verify", "settle", "handler"]);
    let transaction = receipt(&answer).transaction.unwrap();
    let call = world.handler.calls().pop().unwrap();
    assert_eq!(
        call.headers["x-tool-payment-tx"].to_str().unwrap(),
        transaction.to_string()
    );
    let payment = call.context.unwrap().payment.unwrap();
    assert_eq!(payment.transaction, Some(transaction));
    // A short answer is stored.
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!((again.status, again.body), (200, answer.body));
    assert_eq!(world.handler.count(), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn settling_before_the_handler_streams() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let is_finished = Arc::new(AtomicBool::new(false));
    let permits = Arc::new(Semaphore::new(0));
    let (flag, wait) = (is_finished.clone(), permits.clone());
    world.handler = Handler::new(move || {
        let (flag, wait) = (flag.clone(), wait.clone());
        let frames = futures_util::stream::unfold(0, move |index| {
            let (flag, wait) = (flag.clone(), wait.clone());
            async move {
                let frame = |text: &'static str| {
                    let data = Bytes::from_static(text.as_bytes());
                    Ok::<_, atr_gate::BoxError>(http_body::Frame::data(data))
                };
                match index {
                    0 => Some((frame("data: 1\n\n"), 1)),
                    1 => {
                        wait.acquire().await.unwrap().forget();
                        flag.store(true, Ordering::SeqCst);
                        Some((frame("data: 2\n\n"), 2))
                    }
                    _ => None,
                }
            }
        });
        Response::builder()
            .header("content-type", "text/event-stream")
            .body(StreamBody::new(frames))
            .unwrap()
    });
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    let service = gate.layer(world.handler.clone());
    let response = service.oneshot(post(&[(name, &value)])).await.unwrap();
    assert!(response.headers().contains_key("payment-response"));
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "data: 1\n\n");
    assert!(!is_finished.load(Ordering::SeqCst));
    permits.add_permits(1);
    assert_eq!(body.collect().await.unwrap().to_bytes(), "data: 2\n\n");
    world.assert_paid(1);
    // A stream is not stored: the payment is used up.
    let again = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (again.status, again.code()),
        (402, "payment_authorization_already_used".to_owned())
    );
}

#[tokio::test]
async fn a_call_that_was_paid_before_it_failed_can_be_repeated() {
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let good = world.handler.clone();
    let schema = r#"{"type":"object","properties":{"result":{"type":"string"}}}"#;
    let schema = Schema::compile(Document::parse(schema).unwrap().root()).unwrap();
    world.config.schemas.output = Some(Arc::new(schema));
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    for (handler, status, code) in failing_handlers() {
        if code == Some("output_too_large") {
            continue;
        }
        world.handler = handler;
        let answer = world.send(&gate, post(&[(name, &value)])).await;
        assert_eq!(answer.status, status, "{answer:?}");
        // Money moved, so there is a receipt.
        assert!(receipt(&answer).success);
    }
    world.handler = good;
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    assert_eq!(world.facilitator.count("settle"), 1);
    world.assert_paid(1);
}

#[tokio::test]
async fn a_settlement_that_fails_before_the_handler_withholds_the_call() {
    // L-20
    let mut world = World::start();
    world.payments().settle = SettleMode::Before;
    let gate = world.gate();
    let (name, value) = world.payment(&gate).await;
    world.facilitator.set_settle(Settle::Refuse);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "settlement_failed".to_owned())
    );
    assert_eq!(world.handler.count(), 0);
    world.assert_paid(0);
    world.facilitator.set_settle(Settle::LoseAnswer);
    let answer = world.send(&gate, post(&[(name, &value)])).await;
    assert_eq!(answer.status, 200);
    world.assert_paid(1);
}
