use alloy::{
    consensus::{SignableTransaction, TxEip1559, TxEnvelope},
    eips::eip2718::Encodable2718,
    network::TxSignerSync,
    signers::local::PrivateKeySigner,
};
use alloy_primitives::{B256, Bytes, TxKind, hex};
use atr_deploy::{Executor, FACTORY, RecordFolder, Signing, Suite};
use atr_loopback::{ACCOUNT, ACCOUNTS, Anvil, KEY};
use atr_rpc::{Endpoints, Node, TransactionSender};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_interrupted_in_version_0_1_is_continued() {
    let anvil = Anvil::start();
    let folder = tempfile::tempdir().unwrap();
    let records = RecordFolder::new(folder.path().join("records"));
    let suite = Suite::new(B256::ZERO).only(&["ToolRegistry"]).unwrap();
    let target = &suite.targets()[0];
    let signer: PrivateKeySigner = KEY.parse().unwrap();
    let mut transaction = TxEip1559 {
        chain_id: 31337,
        gas_limit: 2_000_000,
        max_fee_per_gas: 3_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000,
        to: TxKind::Call(FACTORY),
        input: [B256::ZERO.as_slice(), target.init_code()].concat().into(),
        ..Default::default()
    };
    let signature = signer.sign_transaction_sync(&mut transaction).unwrap();
    let envelope = TxEnvelope::from(transaction.into_signed(signature));
    let raw: Bytes = envelope.encoded_2718().into();
    let entry = |sender: &str, contract: &str| {
        json!({
            "contract": contract,
            "address": target.address(),
            "sender": sender,
            "nonce": 0,
            "attempts": [{
                "hash": envelope.tx_hash(),
                "raw": raw,
                "maxFeePerGas": 3_000_000_000_u64,
                "maxPriorityFeePerGas": 1_000_000_000,
            }],
        })
    };
    let entries = [entry(ACCOUNT, "ToolRegistry"), entry(ACCOUNTS[1], "other")];
    let old = json!({ "chainId": 31337, "entries": entries });
    std::fs::create_dir_all(records.path()).unwrap();
    let path = records.path().join(".31337.journal.json");
    std::fs::write(&path, old.to_string()).unwrap();
    anvil.request(
        "eth_sendRawTransaction",
        json!([hex::encode_prefixed(&raw)]),
    );

    let node = Node::try_new(Endpoints {
        urls: vec![anvil.url.parse().unwrap()],
        send_url: None,
        headers: Vec::new(),
        timeout: std::time::Duration::from_secs(30),
    });
    let sender = TransactionSender::new(node.unwrap(), 31337);
    let executor = Executor::new(sender, suite.clone());
    let state = folder.path().join("state");
    let mut journal = executor
        .open_journal(&state, signer.address(), &records)
        .await
        .unwrap();
    assert_eq!(journal.entries().len(), 1);
    let plan = executor
        .plan(Some(signer.address()), Some(&journal))
        .await
        .unwrap();
    let signing = Signing {
        signer: &signer,
        journal: &mut journal,
        max_cost: plan.max_cost,
    };
    let outcome = executor.run(&plan, Some(signing), &records, &|_| {}).await;
    let deployed = &outcome.unwrap().contracts[0];
    assert_eq!(deployed.transaction, Some(*envelope.tx_hash()));
    assert_eq!(anvil.nonce(ACCOUNT), 1);
    // The entry of the other account stays.
    let rest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(rest["entries"].as_array().unwrap().len(), 1);
}
