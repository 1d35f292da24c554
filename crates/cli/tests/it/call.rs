use std::{fs, sync::Mutex};

use alloy_primitives::{Address, B256, U256, address};
use atr_auth::{
    ChallengeMode, JsonObject, Network, Offer, Offers, Token,
    x402::{Receipt, Resource, Version},
};
use atr_loopback::{ACCOUNT, Request, Response};
use serde_json::{Value, json};

use crate::fixture::Fixture;

pub(crate) const PAYEE: Address = address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");

/// A verified tool with a price, whose endpoint runs `handler`.
pub(crate) fn tool(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Fixture {
    let fixture = Fixture::new();
    let mut manifest = fixture.manifest("oracle");
    manifest["inputs"] = json!({
        "type": "object",
        "properties": { "query": { "type": "string" }, "limit": { "default": 5 } },
        "required": ["query"],
    });
    manifest["pricing"] = json!([{
        "amount": "10000",
        "asset": format!("eip155:8453/erc20:{:#x}", usdc().address()),
        "recipient": format!("eip155:8453:{PAYEE:#x}"),
        "protocol": "x402",
    }]);
    let hash = fixture.serve("oracle", &manifest);
    fixture.register(ACCOUNT, &fixture.uri("oracle"), hash);
    fixture.server.route("/oracle", handler);
    fixture
}

fn usdc() -> Token {
    Token::usdc(Network::from_chain_id(8453).unwrap()).unwrap()
}

pub(crate) fn challenge(amount: u64) -> Response {
    challenge_for(amount, PAYEE)
}

fn challenge_for(amount: u64, payee: Address) -> Response {
    let offers = Offers::new(vec![Offer::new(usdc(), U256::from(amount), payee)]).unwrap();
    let resource = Resource::new("https://tools.example.com/oracle");
    let challenge = offers.challenge(ChallengeMode::V1, &resource, None, &JsonObject::new());
    Response::new(402, challenge.body.to_string())
}

pub(crate) fn receipt() -> Response {
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

/// Demands `amount`, then answers.
pub(crate) fn paid(amount: u64) -> impl Fn(&Request) -> Response {
    move |request| match request.header("x-payment") {
        Some(_) if amount == 0 => Response::new(200, r#"{"price":"1"}"#),
        Some(_) => receipt(),
        None => challenge(amount),
    }
}

pub(crate) fn nonces(fixture: &Fixture) -> Vec<Value> {
    let requests = fixture.server.requests();
    let payments = requests
        .iter()
        .filter_map(|request| request.header("x-payment"));
    payments
        .map(|header| {
            let bytes =
                atr_auth::decode_base64(header.as_bytes(), atr_auth::Alphabet::Standard).unwrap();
            let payment: Value = serde_json::from_slice(&bytes).unwrap();
            payment["payload"]["authorization"]["nonce"].clone()
        })
        .collect()
}

const CALL: [&str; 4] = ["call", "1", "--data", r#"{"query":"eth"}"#];

#[test]
fn proves_an_identity_without_asking_and_pays_only_with_permission() {
    // E-24, M-02, M-03
    let fixture = tool(paid(0));
    let refused = fixture.output(&CALL);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let payee = PAYEE.to_string();
    let identity = [&CALL[..], &["--allow-recipient", &payee]].concat();
    for _ in 0..2 {
        insta::allow_duplicates! {
            insta::assert_snapshot!("identity", fixture.transcript(&identity));
        }
    }
    let nonces = nonces(&fixture);
    assert_eq!(nonces.len(), 2);
    assert_ne!(nonces[0], nonces[1]);

    let fixture = tool(paid(10_000));
    insta::assert_snapshot!("not_allowed", fixture.transcript(&CALL));
    let dry_run = [&CALL[..], &["--dry-run"]].concat();
    insta::assert_snapshot!("dry_run", fixture.transcript(&dry_run));
    let allowed = [&CALL[..], &["--max-amount", "0.01", "--yes"]].concat();
    insta::assert_snapshot!("paid", fixture.transcript(&allowed));
    let report = fixture.atr.output(&["ledger", "--json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["payments"][0]["state"], "settled");
    assert_eq!(report["payments"][0]["amount"], "10000");
    assert_eq!(report["payments"].as_array().unwrap().len(), 1);
}

#[test]
fn a_demand_that_differs_from_the_manifest_needs_explicit_consent() {
    // J-10
    let fixture = tool(paid(9_999));
    let args = [&CALL[..], &["--max-amount", "1", "--yes"]].concat();
    insta::assert_snapshot!("differs", fixture.transcript(&args));
    assert_eq!(nonces(&fixture), Vec::<Value>::new());
    let accepted = [&args[..], &["--accept-price-change"]].concat();
    assert!(fixture.output(&accepted).status.success());
}

#[test]
fn a_lost_answer_is_requested_again_without_a_second_payment() {
    // J-11
    let answers = Mutex::new(0);
    let fixture = tool(move |request| {
        if request.header("x-payment").is_none() {
            return challenge(10_000);
        }
        let mut answers = answers.lock().unwrap();
        *answers += 1;
        match *answers {
            1 => Response::new(502, "{}"),
            _ => receipt(),
        }
    });
    let args = [&CALL[..], &["--max-amount", "0.01", "--yes"]].concat();
    assert_eq!(fixture.output(&args).status.code(), Some(3));
    let output = fixture.output(&args);
    assert!(output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("sending it again"), "{message}");
    let nonces = nonces(&fixture);
    assert_eq!(nonces.len(), 2);
    assert_eq!(nonces[0], nonces[1]);
}

#[test]
fn an_identity_is_proved_only_to_a_payee_that_somebody_names() {
    // M-05: the tool relays the challenge of another gate.
    let victim = Address::repeat_byte(0x77);
    let fixture = tool(move |request| match request.header("x-payment") {
        Some(_) => Response::new(200, r#"{"price":"1"}"#),
        None => challenge_for(0, victim),
    });
    for flags in [&[][..], &["--yes"], &["--require-audience"]] {
        let output = fixture.output(&[&CALL[..], flags].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        let is_hinted =
            flags == ["--require-audience"] || message.contains("--allow-recipient 0x7777");
        assert!(is_hinted, "{message}");
    }
    assert_eq!(nonces(&fixture), Vec::<Value>::new());
    let payee = victim.to_string();
    let named = [&CALL[..], &["--allow-recipient", &payee]].concat();
    assert!(fixture.output(&named).status.success());
    assert_eq!(nonces(&fixture).len(), 1);
}

#[test]
fn the_body_is_printed_as_the_tool_sent_it() {
    let long = "word ".repeat(60);
    let body = format!("{{\"text\":\"{long}\",\"a\":1, \"price\":\"1\"}}");
    let answer = body.clone();
    let fixture = tool(move |_| Response::new(200, answer.clone()));
    let output = fixture.output(&CALL);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), body + "\n");
}

#[test]
fn a_refusal_says_what_to_do() {
    let fixture =
        tool(|_| Response::new(403, r#"{"error":"not a holder","code":"access_denied"}"#));
    let output = fixture.output(&CALL);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(
        message.contains("error: access denied (403): not a holder"),
        "{message}"
    );
    assert!(message.contains("atr access check"), "{message}");
    let report = fixture.json(&CALL, 1);
    assert_eq!(report["answer"]["body"]["code"], "access_denied");

    // After a payment, the same command is safe.
    let fixture = tool(|request| match request.header("x-payment") {
        Some(_) => Response::new(
            409,
            r#"{"error":"in progress","code":"payment_in_progress"}"#,
        ),
        None => challenge(10_000),
    });
    let args = [&CALL[..], &["--max-amount", "0.01", "--yes"]].concat();
    let output = fixture.output(&args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("not paid twice"), "{message}");
    assert_eq!(fixture.output(&args).status.code(), Some(1));
    let nonces = nonces(&fixture);
    assert_eq!(nonces[0], nonces[1]);
    let ledger = fixture.atr.output(&["ledger"]);
    let ledger = String::from_utf8(ledger.stdout).unwrap();
    assert!(
        ledger.contains("unknown") && ledger.contains("more min"),
        "{ledger}"
    );
    assert!(ledger.starts_with("TIME (UTC)"), "{ledger}");
}

#[test]
fn data_for_the_predicate_is_given_or_derived_from_an_allowlist() {
    let fixture = tool(|_| Response::new(200, r#"{"price":"1"}"#));
    let list = fixture.atr.path("members.txt");
    fs::write(list, format!("{ACCOUNT}\n{PAYEE} # another\n")).unwrap();
    for flags in [["--access-data", "0xab01"], ["--allowlist", "members.txt"]] {
        let output = fixture.output(&[&CALL[..], &flags].concat());
        assert!(output.status.success(), "{output:?}");
    }
    let requests = fixture.server.requests();
    let mut sent = requests
        .iter()
        .filter_map(|request| request.header("x-access-data"));
    assert_eq!(sent.next(), Some("0xab01"));
    // A proof of one sibling: an array of one hash.
    assert_eq!(sent.next().unwrap().len(), 2 + 3 * 64);
}

#[test]
fn values_of_the_manifest_are_shown_and_sent_only_on_request() {
    // J-05, J-06, J-07
    let fixture = tool(|request| Response::new(200, request.body.clone()));
    insta::assert_snapshot!("not_sent", fixture.transcript(&CALL));
    let accepted = [&CALL[..], &["--accept-defaults"]].concat();
    insta::assert_snapshot!("defaults", fixture.transcript(&accepted));
}

#[test]
fn arguments_are_checked_before_anything_is_sent() {
    let fixture = tool(|_| Response::new(200, "{}"));
    let wrong = ["call", "1", "--data", r#"{"query":1}"#];
    insta::assert_snapshot!("wrong_arguments", fixture.transcript(&wrong));
    let not_json = ["call", "1", "--data", "{"];
    assert_eq!(fixture.output(&not_json).status.code(), Some(2));
    let requests = fixture.server.requests();
    assert!(requests.iter().all(|request| request.path() != "/oracle"));
}

#[test]
fn does_not_call_a_tool_that_is_not_verified() {
    // H-05
    let fixture = tool(|_| Response::new(200, "{}"));
    fixture.serve("oracle", &fixture.manifest("changed"));
    insta::assert_snapshot!("not_verified", fixture.transcript(&CALL));
}

#[test]
fn an_empty_ledger_is_not_an_error() {
    let fixture = Fixture::new();
    let output = fixture.atr.output(&["ledger"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("no payments"));
}
