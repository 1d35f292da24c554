use alloy_primitives::{address, hex};
use alloy_sol_types::{SolType, sol_data};

use super::*;
use crate::chain::{mock_creation, send_raw};

#[tokio::test]
async fn a_smart_account_is_asked_only_when_turned_on() {
    // T-48
    let mut world = World::open();
    let owner = Caller::new(1);
    let wallet = world
        .chain
        .deploy_mock_with("ERC1271Wallet", &owner.address().abi_encode());
    let by_wallet = || {
        let authorization = zero_value(wallet, OPERATOR, fresh_nonce(), NOW);
        let digest = authorization.digest(&usdc());
        let signature = owner.signer.sign_hash_sync(&digest).unwrap();
        let signed = SignedAuthorization {
            authorization,
            signature: signature.as_bytes().into(),
        };
        v1_payment(&signed)
    };
    let send = async |world: &World, payment: &Value| {
        let header = x_payment(payment);
        world.send(post(&[("x-payment", &header)])).await
    };
    let refused = send(&world, &by_wallet()).await;
    assert_eq!(
        (refused.status, refused.code()),
        (401, "signer_mismatch".to_owned())
    );
    assert!(world.rpc.requests().is_empty());
    world.config.smart_accounts = true;
    let answer = send(&world, &by_wallet()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let context = world.handler.calls().pop().unwrap().context.unwrap();
    assert_eq!(context.caller, wallet);
    // Neither another signer, nor an account without code, nor a contract that checks nothing.
    let mut forged = by_wallet();
    forged["payload"]["signature"] = json!(hex::encode_prefixed([7; 65]));
    let mut nobody = by_wallet();
    nobody["payload"]["authorization"]["from"] = json!(account(2));
    let mut other = by_wallet();
    other["payload"]["authorization"]["from"] = json!(world.chain.registry);
    for payment in [forged, nobody, other] {
        let answer = send(&world, &payment).await;
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    world.config.access = Some(access("http://127.0.0.1:1"));
    let answer = send(&world, &by_wallet()).await;
    assert_eq!(
        (answer.status, answer.code()),
        (502, "node_unavailable".to_owned())
    );
    assert_eq!(world.handler.count(), 1);
}

/// Arachnid's CREATE2 factory, which anvil has.
const FACTORY: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");

#[tokio::test]
async fn an_account_that_is_not_deployed_signs_with_a_listed_factory() {
    let mut world = World::open();
    let owner = Caller::new(1);
    let creation = [mock_creation("ERC1271Wallet"), owner.address().abi_encode()].concat();
    let salt = B256::repeat_byte(5);
    let wallet = FACTORY.create2_from_code(salt, &creation);
    let deployment = [salt.as_slice(), &creation].concat();
    let payment = |signer: &Caller, factory: Address| {
        let authorization = zero_value(wallet, OPERATOR, fresh_nonce(), NOW);
        let digest = authorization.digest(&usdc());
        let signature = signer.signer.sign_hash_sync(&digest).unwrap();
        let inner = signature.as_bytes().to_vec();
        let parts = (factory, deployment.clone(), inner);
        let mut bytes =
            <(sol_data::Address, sol_data::Bytes, sol_data::Bytes)>::abi_encode_params(&parts);
        bytes.extend(hex!(
            "6492649264926492649264926492649264926492649264926492649264926492"
        ));
        let signed = SignedAuthorization {
            authorization,
            signature: bytes.into(),
        };
        v1_payment(&signed)
    };
    let send = async |world: &World, payment: &Value| {
        let header = x_payment(payment);
        world.send(post(&[("x-payment", &header)])).await
    };
    // Off, on without factories, and another factory: the node is not asked to run it.
    for smart_accounts in [false, true] {
        world.config.smart_accounts = smart_accounts;
        let refused = send(&world, &payment(&owner, FACTORY)).await;
        assert_eq!(refused.status, 401, "{refused:?}");
    }
    world.config.account_factories = vec![Address::repeat_byte(1), FACTORY];
    let refused = send(&world, &payment(&owner, Address::repeat_byte(2))).await;
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(world.rpc.requests().is_empty());
    let refused = send(&world, &payment(&Caller::new(2), FACTORY)).await;
    assert_eq!(refused.status, 401, "{refused:?}");
    let answer = send(&world, &payment(&owner, FACTORY)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let context = world.handler.calls().pop().unwrap().context.unwrap();
    assert_eq!(context.caller, wallet);
    // The check changed nothing on the chain; after the deployment the same form is accepted too.
    let code = || {
        world
            .chain
            .anvil
            .request("eth_getCode", json!([wallet, "latest"]))
    };
    assert_eq!(code(), "0x");
    send_raw(&world.chain.anvil.url, FACTORY, &deployment);
    assert_ne!(code(), "0x");
    let answer = send(&world, &payment(&owner, FACTORY)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}
