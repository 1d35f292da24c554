//! Usage counts only with a proof, and once.

use std::collections::HashMap;

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, B256, U256};
use atr_auth::{Authorization, Network, Token, UnsignedAuthorization, audience_payee};
use atr_store::index::RegistryKey;
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    chain::{Chain, account},
    world::{CHAIN, CREATOR, Spec, World, now, unlimited},
};

fn usdc() -> Token {
    Token::usdc(Network::from_chain_id(CHAIN).unwrap()).unwrap()
}

/// A report of an authorization, signed.
fn report(
    world: &World,
    id: u64,
    signer: &PrivateKeySigner,
    change: impl Fn(&mut Authorization),
) -> Value {
    let mut authorization = Authorization {
        from: signer.address(),
        to: CREATOR,
        value: U256::ZERO,
        valid_after: U256::ZERO,
        valid_before: U256::from(now() + 600),
        nonce: B256::repeat_byte(7),
    };
    change(&mut authorization);
    let digest = UnsignedAuthorization::new(authorization, usdc()).digest();
    let signature = signer.sign_hash_sync(&digest).unwrap();
    json!({
        "verification_type": "eip3009_authorization",
        "tool_chain_id": CHAIN,
        "tool_registry_address": world.registry.address,
        "tool_onchain_id": id.to_string(),
        "latency_ms": 12,
        "eip3009": {
            "caller_address": authorization.from,
            "signature": signature.to_string(),
            "chain_id": CHAIN,
            "from": authorization.from,
            "to": authorization.to,
            "value": authorization.value.to_string(),
            "valid_after": 0,
            "valid_before": authorization.valid_before.to_string(),
            "nonce": authorization.nonce,
        },
    })
}

/// Paid calls and free calls.
async fn counts(world: &World, id: u64) -> (u64, u64) {
    let totals = &world.json(&world.path(id)).await["usage_totals"];
    let count = |name: &str| totals[name].as_u64().unwrap();
    (count("total_calls"), count("authorized_calls"))
}

/// An account that did nothing.
const VICTIM: Address = Address::repeat_byte(0xd8);

const THIEF: Address = Address::repeat_byte(0xee);

#[tokio::test]
async fn a_signature_is_shown_once_and_does_not_rank() {
    let mut world = World::new().await;
    world.add(&[Spec::new("popular"), Spec::new("other")]).await;
    let order = world.search("sort_by=most_used").await;
    let signer = PrivateKeySigner::random();
    let valid = report(&world, 1, &signer, |_| {});
    let first = world.post("/api/v2/tools/usage", &valid).await;
    assert_eq!(first.status, StatusCode::OK, "{:?}", first.json());
    assert_eq!(
        (
            &first.json()["verified"],
            &first.json()["verification_type"]
        ),
        (&json!(true), &json!("eip3009_authorization"))
    );
    // The same proof again, also for another tool of the creator: the same id, and nothing counts.
    for report in [valid.clone(), {
        let mut other = valid.clone();
        other["tool_onchain_id"] = json!(2);
        other
    }] {
        let again = world.post("/api/v2/tools/usage", &report).await.json();
        assert_eq!(again["id"], first.json()["id"]);
        assert_eq!(again["counted_for"], first.json()["counted_for"]);
        let is_other = report["tool_onchain_id"] == 2;
        assert_eq!(again["reason"].is_string(), is_other, "{again}");
    }
    assert_eq!(counts(&world, 1).await, (0, 1));
    assert_eq!(counts(&world, 2).await, (0, 0));
    world.follower.catch_up().await.unwrap();
    assert_eq!(world.search("sort_by=most_used").await, order);
    let activity = world.json(&format!("{}/activity", world.path(1))).await;
    let entry = &activity["activity"][0];
    assert_eq!(
        (&entry["caller_address"], &entry["paid"]),
        (&json!(signer.address().to_checksum(None)), &json!(false))
    );
    assert_eq!(activity["activity"].as_array().unwrap().len(), 1);
    let second = report(&world, 1, &signer, |authorization| {
        authorization.nonce = B256::repeat_byte(8)
    });
    assert_eq!(
        world.post("/api/v2/tools/usage", &second).await.json()["verified"],
        true
    );
    assert_eq!(counts(&world, 1).await, (0, 2));
    let bound = audience_payee("https://tools.example.com/7", U256::ONE, CREATOR).unwrap();
    let bound = report(&world, 1, &signer, |authorization| authorization.to = bound);
    let bound = world.post("/api/v2/tools/usage", &bound).await.json();
    assert_eq!(bound["verified"], true, "{bound}");
    let page = world
        .json(&format!("{}/activity?limit=1", world.path(1)))
        .await;
    assert_eq!(
        (page["activity"].as_array().unwrap().len(), &page["next"]),
        (1, &json!("1"))
    );
}

#[tokio::test]
async fn what_cannot_be_verified_does_not_count() {
    let mut world = World::new().await;
    world.add(&[Spec::new("tool")]).await;
    let signer = PrivateKeySigner::random();
    let valid = report(&world, 1, &signer, |_| {});
    let with = |pointer: &str, value: Value| {
        let mut report = valid.clone();
        *report.pointer_mut(pointer).unwrap() = value;
        report
    };
    for unverified in [
        with("/eip3009/nonce", json!(B256::repeat_byte(9))),
        with("/eip3009/chain_id", json!(1)),
        with("/eip3009/chain_id", json!(31337)),
        with("/eip3009/signature", json!("0x1234")),
        report(&world, 1, &signer, |authorization| {
            authorization.to = Address::repeat_byte(1)
        }),
        report(&world, 1, &signer, |authorization| {
            authorization.value = U256::from(5)
        }),
        report(&world, 1, &signer, |authorization| {
            authorization.valid_before = U256::from(1_000)
        }),
    ] {
        let answer = world.post("/api/v2/tools/usage", &unverified).await;
        assert_eq!(answer.status, StatusCode::OK, "{unverified}");
        assert_eq!(answer.json()["verified"], false, "{unverified}");
        assert!(answer.json()["reason"].is_string());
    }
    for (malformed, parameter) in [
        (json!({}), "body"),
        (json!([]), "body"),
        (
            with("/verification_type", json!("trust_me")),
            "verification_type",
        ),
        (with("/tool_onchain_id", json!("-1")), "tool_onchain_id"),
        (
            with("/tool_registry_address", json!("x")),
            "tool_registry_address",
        ),
        (with("/eip3009/from", json!("0x12")), "eip3009.from"),
        (with("/eip3009/nonce", json!("0x12")), "eip3009.nonce"),
        (with("/eip3009/value", json!("1e18")), "eip3009.value"),
        (
            with("/eip3009/caller_address", json!(Address::repeat_byte(1))),
            "eip3009.caller_address",
        ),
        (with("/verification_type", json!("x402_settlement")), "x402"),
    ] {
        let answer = world.post("/api/v2/tools/usage", &malformed).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{malformed}");
        assert_eq!(answer.json()["parameter"], parameter, "{malformed}");
    }
    let unknown = world
        .post("/api/v2/tools/usage", &with("/tool_onchain_id", json!(99)))
        .await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(counts(&world, 1).await, (0, 0));
}

#[tokio::test]
async fn a_signature_for_a_listed_recipient_proves_nothing() {
    let mut world = World::new().await;
    let thief = Spec {
        creator: THIEF,
        price: Some((1, CREATOR)),
        ..Spec::new("thief")
    };
    world.add(&[Spec::new("tool"), thief]).await;
    let signer = PrivateKeySigner::random();
    let stolen = report(&world, 2, &signer, |_| {});
    let stolen = world.post("/api/v2/tools/usage", &stolen).await.json();
    assert_eq!(stolen["verified"], false, "{stolen}");
    let right = report(&world, 1, &signer, |_| {});
    let right = world.post("/api/v2/tools/usage", &right).await.json();
    assert_eq!(right["verified"], true, "{right}");
    assert_eq!(counts(&world, 2).await, (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_counts_if_the_chain_has_the_transfer() {
    let chain = Chain::start();
    let registry = RegistryKey {
        chain_id: CHAIN,
        address: chain.registry,
    };
    let nodes = HashMap::from([(CHAIN, chain.node())]);
    let mut world = World::with(registry, nodes, &unlimited()).await;
    let priced = |name: &str, creator, amount| Spec {
        creator,
        price: Some((amount, CREATOR)),
        ..Spec::new(name)
    };
    world
        .add(&[
            priced("paid", CREATOR, 10_000),
            priced("thief with a low price", THIEF, 1),
            priced("thief with the same price", THIEF, 10_000),
            priced("free of charge", CREATOR, 0),
        ])
        .await;
    // The blocks of the fixture are ahead of the chain.
    chain.anvil.request("anvil_mine", json!(["0xc8"]));
    let report = |id: u64, transaction: B256, caller: Address| {
        json!({
            "verification_type": "x402_settlement",
            "tool_chain_id": CHAIN.to_string(),
            "tool_registry_address": chain.registry,
            "tool_onchain_id": id,
            "x402": { "caller_address": caller, "tx_hash": transaction, "chain_id": CHAIN },
        })
    };
    let (caller, token) = (account(1), usdc().address());
    let paid = chain.transfer(token, caller, CREATOR, 10_000);
    let too_little = chain.transfer(token, caller, CREATOR, 9_999);
    let too_much = chain.transfer(token, caller, CREATOR, 10_001);
    let elsewhere = chain.transfer(token, caller, Address::repeat_byte(1), 10_000);
    let other_token = chain.transfer(Address::repeat_byte(0x42), caller, CREATOR, 10_000);
    let itself = chain.transfer(token, CREATOR, CREATOR, 10_000);
    // Needs no allowance of the account.
    let zero = chain.transfer(token, VICTIM, CREATOR, 0);
    for (id, transaction, caller, is_verified) in [
        (1, too_little, caller, false),
        (1, too_much, caller, false),
        (1, elsewhere, caller, false),
        (1, other_token, caller, false),
        (1, itself, CREATOR, false),
        (1, paid, account(2), false),
        (1, B256::repeat_byte(1), caller, false),
        (2, paid, caller, false),
        (3, paid, caller, false),
        (4, zero, VICTIM, false),
        // The transaction has two transfers of the price; it counts once.
        (1, paid, caller, true),
        (1, paid, caller, true),
    ] {
        let answer = world
            .post("/api/v2/tools/usage", &report(id, transaction, caller))
            .await
            .json();
        assert_eq!(answer["verified"], is_verified, "{id} {answer}");
    }
    for (id, count) in [(1, 1), (2, 0), (3, 0), (4, 0)] {
        assert_eq!(counts(&world, id).await, (count, 0), "{id}");
    }
    world.follower.catch_up().await.unwrap();
    assert_eq!(world.search("sort_by=most_used").await[0], "paid");
    let activity = world.json(&format!("{}/activity", world.path(1))).await;
    assert_eq!(activity["activity"].as_array().unwrap().len(), 1);
    let entry = &activity["activity"][0];
    assert_eq!(
        (&entry["paid"], &entry["amount"], &entry["tx_hash"]),
        (&json!(true), &json!("10000"), &json!(paid))
    );
}
