use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use alloy_primitives::B256;
use atr_auth::{
    ChallengeMode, Network, Token,
    x402::{Receipt, Version},
};
use atr_client::{Call, CallResult, Error, PaymentState};
use atr_loopback::Response;
use serde_json::json;

use crate::fixture::{
    Fixture, PRICE, caller, challenge, credential, now, operator, paying, sign, usdc,
};

const ARGUMENTS: &str = r#"{"query":"eth"}"#;

/// Answers payments with status 502 while `is_down`, otherwise with a receipt.
fn serve(fixture: &Fixture) -> Arc<AtomicBool> {
    let is_down = Arc::new(AtomicBool::new(true));
    let state = is_down.clone();
    fixture.on_call(move |request| match credential(request) {
        None => challenge(ChallengeMode::V1, usdc(), PRICE, operator()),
        Some(_) if state.load(Ordering::SeqCst) => Response::new(502, ""),
        Some(_) => {
            let receipt = Receipt {
                success: true,
                transaction: Some(B256::repeat_byte(3)),
                network: "base".to_owned(),
                payer: None,
                error_reason: None,
            };
            let header = receipt.header(Version::V1);
            Response::new(200, r#"{"price":"1"}"#).with_header(header.name, &header.value)
        }
    });
    is_down
}

/// Demands and pays, as a user who runs the same command.
async fn pay(
    fixture: &Fixture,
    call: &mut Call<'_>,
    nonce: u8,
    now: u64,
) -> Result<CallResult, Error> {
    let demand = fixture.demand(call).await;
    let signed = sign(&demand, nonce, now);
    call.pay(&demand, signed, &paying(), &fixture.ledger, false, now)
        .await
}

fn credentials(fixture: &Fixture) -> Vec<String> {
    let calls = fixture.calls();
    let credentials = calls.iter().filter_map(credential);
    credentials.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_lost_answer_is_requested_again_with_the_same_payment() {
    // J-11
    let fixture = Fixture::new().await;
    let is_down = serve(&fixture);
    let mut call = fixture.call(ARGUMENTS).await;
    let reply = pay(&fixture, &mut call, 1, now()).await.unwrap();
    assert!(matches!(reply, CallResult::ToolResponse(answer) if answer.status == 502));
    assert_eq!(
        fixture.ledger.entries().unwrap()[0].state,
        PaymentState::Unknown
    );

    is_down.store(false, Ordering::SeqCst);
    // The user runs the command again: the ledger offers the earlier payment, so nothing is signed.
    let mut call = fixture.call(ARGUMENTS).await;
    let payer = caller().address();
    let earlier = call.earlier_payment(payer, &fixture.ledger, false, now());
    let earlier = earlier.await.unwrap().unwrap();
    let demand = fixture.demand(&call).await;
    let reply = call.resend(&demand, &earlier, &fixture.ledger, now()).await;
    assert!(matches!(reply.unwrap(), CallResult::ToolResponse(answer) if answer.receipt.is_some()));
    let sent = credentials(&fixture);
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1]);

    let entries = fixture.ledger.entries().unwrap();
    assert_eq!(entries.len(), 1);
    let transaction = Some(B256::repeat_byte(3));
    assert_eq!(entries[0].state, PaymentState::Settled { transaction });
    // The next call of the same kind is a new one.
    let call = fixture.call(ARGUMENTS).await;
    let earlier = call.earlier_payment(payer, &fixture.ledger, false, now());
    assert_eq!(earlier.await.unwrap(), None);
}

#[tokio::test]
async fn a_second_process_sends_the_payment_of_the_first() {
    let fixture = Fixture::new().await;
    serve(&fixture);
    let (mut first, mut second) = (fixture.call(ARGUMENTS).await, fixture.call(ARGUMENTS).await);
    pay(&fixture, &mut first, 1, now()).await.unwrap();
    pay(&fixture, &mut second, 2, now()).await.unwrap();
    let sent = credentials(&fixture);
    assert_eq!(sent[0], sent[1]);
    // Other arguments are another call.
    let mut other = fixture.call(r#"{"query":"btc"}"#).await;
    pay(&fixture, &mut other, 3, now()).await.unwrap();
    assert_ne!(credentials(&fixture)[2], sent[0]);
}

#[tokio::test]
async fn an_expired_payment_that_was_not_used_is_replaced() {
    let fixture = Fixture::new().await;
    fixture.place_token();
    serve(&fixture);
    let start = now();
    let mut call = fixture.call(ARGUMENTS).await;
    pay(&fixture, &mut call, 1, start).await.unwrap();
    // Past the end by the local clock, but not by the chain: it may still be settled.
    let later = start + 10_000;
    let mut call = fixture.call(ARGUMENTS).await;
    let error = pay(&fixture, &mut call, 2, later).await.unwrap_err();
    assert!(matches!(error, Error::PaymentPending { .. }), "{error}");
    fixture.mine_at(later);
    let mut call = fixture.call(ARGUMENTS).await;
    pay(&fixture, &mut call, 3, later).await.unwrap();
    let entries = fixture.ledger.entries().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].state, PaymentState::Expired);
    assert_eq!(entries[1].authorized.nonce, B256::repeat_byte(3));
}

#[tokio::test]
async fn a_status_never_makes_a_payment_that_was_sent_safe_to_replace() {
    // J-11: the first answer is lost, then the gate says that the request is in progress, limited, or something else.
    for status in [409, 429, 408, 425, 400, 403, 302] {
        let fixture = Fixture::new().await;
        let is_down = serve(&fixture);
        let mut call = fixture.call(ARGUMENTS).await;
        pay(&fixture, &mut call, 1, now()).await.unwrap();
        fixture.on_call(move |request| match credential(request) {
            None => challenge(ChallengeMode::V1, usdc(), PRICE, operator()),
            Some(_) => Response::new(status, ""),
        });
        let mut call = fixture.call(ARGUMENTS).await;
        let _ = pay(&fixture, &mut call, 2, now()).await;
        let state = fixture.ledger.entries().unwrap()[0].state;
        assert_eq!(state, PaymentState::Unknown, "{status}");
        serve(&fixture);
        let mut call = fixture.call(ARGUMENTS).await;
        let _ = pay(&fixture, &mut call, 3, now()).await;
        let sent = credentials(&fixture);
        assert_eq!(sent.len(), 3, "{status}");
        assert!(sent.iter().all(|other| *other == sent[0]), "{status}");
        drop(is_down);
    }
}

#[tokio::test]
async fn a_rejected_payment_is_replaced_when_the_chain_says_that_it_expired_unused() {
    // J-11: a server that settles what it rejects is not paid again.
    let fixture = Fixture::new().await;
    fixture.place_token();
    fixture.on_call(|request| match credential(request) {
        None => challenge(ChallengeMode::V1, usdc(), PRICE, operator()),
        Some(_) => Response::new(403, ""),
    });
    let start = now();
    for nonce in [1, 2] {
        let mut call = fixture.call(ARGUMENTS).await;
        pay(&fixture, &mut call, nonce, start).await.unwrap();
    }
    let entries = fixture.ledger.entries().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].state, PaymentState::Rejected { status: 403 });
    // The user can decide otherwise.
    let mut call = fixture.call(ARGUMENTS).await;
    let demand = fixture.demand(&call).await;
    let signed = sign(&demand, 3, start);
    let policy = paying();
    let again = call.pay(&demand, signed, &policy, &fixture.ledger, true, start);
    again.await.unwrap();
    assert_eq!(fixture.ledger.entries().unwrap().len(), 2);

    let later = start + 10_000;
    fixture.mine_at(later);
    let mut call = fixture.call(ARGUMENTS).await;
    pay(&fixture, &mut call, 4, later).await.unwrap();
    let entries = fixture.ledger.entries().unwrap();
    assert_eq!(entries.len(), 3);
    let expired = entries
        .iter()
        .filter(|entry| entry.state == PaymentState::Expired);
    assert_eq!(expired.count(), 2);
}

#[tokio::test]
async fn a_payment_on_another_chain_is_not_resolved_by_the_chain_of_the_tool() {
    let fixture = Fixture::new().await;
    fixture.place_token();
    let sepolia = Token::usdc(Network::from_chain_id(84532).unwrap()).unwrap();
    let offered = sepolia.clone();
    fixture.on_call(move |request| match credential(request) {
        None => challenge(ChallengeMode::V2, offered.clone(), PRICE, operator()),
        Some(_) => Response::new(502, ""),
    });
    let start = now();
    let mut call = fixture.call(ARGUMENTS).await;
    pay(&fixture, &mut call, 1, start).await.unwrap();
    // A contract at the same address of the tool's chain says that nothing was used.
    let code = json!([usdc().address(), "latest"]);
    let code = fixture.anvil.request("eth_getCode", code);
    let placed = json!([sepolia.address(), code]);
    fixture.anvil.request("anvil_setCode", placed);
    let later = start + 10_000;
    fixture.mine_at(later);
    let mut call = fixture.call(ARGUMENTS).await;
    let error = pay(&fixture, &mut call, 2, later).await.unwrap_err();
    assert!(matches!(error, Error::PaymentPending { .. }), "{error}");
    assert_eq!(fixture.ledger.entries().unwrap().len(), 1);
}
