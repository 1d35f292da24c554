use alloy_primitives::{Address, Bytes, U256, address, hex};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::IToolRegistry;
use serde_json::{Value, json};

use crate::{
    chain::Chain,
    line::{Action, Asked, Line},
};

const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");

sol! {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }
    struct Result3 {
        bool success;
        bytes returnData;
    }
    function aggregate3(Call3[] calls) external payable returns (Result3[] returnData);
}

/// A few tools, one of them gone, and ids that never were: more than one request holds.
async fn tools(chain: &Chain) -> Vec<U256> {
    for _ in 0..5 {
        chain.register(Address::ZERO).await;
    }
    let call = IToolRegistry::deregisterToolCall {
        toolId: U256::from(2),
    };
    chain.send(0, chain.registry.address(), &call);
    let ids: Vec<_> = (0..70_u64).map(|id| U256::from(id % 8)).collect();
    chain.line.take();
    ids
}

/// What the tools are, asked one by one.
async fn one_by_one(chain: &Chain, ids: &[U256]) -> Vec<atr_registry::ToolState> {
    let mut states = Vec::new();
    for id in ids {
        states.push(chain.registry.tool(*id).await.unwrap());
    }
    chain.line.take();
    states
}

fn blocks(asked: &[Asked]) -> Vec<Value> {
    let calls = asked.iter().filter(|one| one.method == "eth_call");
    let mut blocks: Vec<_> = calls.map(|one| one.params[1].clone()).collect();
    blocks.dedup();
    blocks
}

#[tokio::test]
async fn many_tools_take_few_requests_and_all_see_one_block() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = one_by_one(&chain, &ids).await;
    assert_eq!(chain.registry.tools(&ids).await.unwrap(), expected);
    // The block, the code of Multicall3, and two batches.
    assert_eq!(chain.line.packets(), 4);
    let blocks = blocks(&chain.line.take());
    assert!(blocks.len() == 1 && blocks[0] != "latest", "{blocks:?}");
    assert_eq!(chain.registry.tools(&[]).await.unwrap(), []);
    assert_eq!(chain.line.packets(), 0);
}

#[tokio::test]
async fn a_node_that_takes_no_batches_is_asked_one_by_one() {
    let chain = Chain::start().await;
    let ids = &tools(&chain).await[..8];
    let expected = one_by_one(&chain, ids).await;
    let line = Line::new(&chain.anvil.url, |_| Action::Pass);
    let grumpy = line.without_batches();
    let provider = crate::chain::provider(&grumpy);
    let registry = atr_registry::Registry::connect(provider, chain.registry.address());
    assert_eq!(registry.await.unwrap().tools(ids).await.unwrap(), expected);
}

/// Multicall3 as far as a node's answers go; every third reply is lost as if gas had run out.
fn multicall(line: &Line, asked: &Asked, is_thirsty: bool) -> Action {
    match (asked.method.as_str(), &asked.params[0]) {
        ("eth_getCode", Value::String(at)) if at.parse() == Ok(MULTICALL3) => {
            Action::Say(json!("0x01"))
        }
        ("eth_call", call) if call["to"].as_str().unwrap().parse() == Ok(MULTICALL3) => {
            let data = hex::decode(call["input"].as_str().unwrap()).unwrap();
            let calls = aggregate3Call::abi_decode(&data).unwrap().calls;
            let replies = calls.into_iter().enumerate().map(|(place, call)| {
                assert!(call.allowFailure);
                if is_thirsty && place % 3 == 0 {
                    return Result3 {
                        success: false,
                        returnData: Bytes::new(),
                    };
                }
                let call = json!({ "to": call.target, "input": call.callData });
                let params = json!([call, asked.params[1]]);
                let request =
                    json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": params });
                let answer = line.post(&request);
                let bytes = |value: &Value| value.as_str().unwrap().parse().unwrap();
                match answer.get("error") {
                    Some(error) => Result3 {
                        success: false,
                        returnData: bytes(&error["data"]),
                    },
                    None => Result3 {
                        success: true,
                        returnData: bytes(&answer["result"]),
                    },
                }
            });
            let replies = aggregate3Call::abi_encode_returns(&replies.collect());
            Action::Say(json!(hex::encode_prefixed(replies)))
        }
        _ => Action::Pass,
    }
}

#[tokio::test]
async fn where_there_is_multicall3_one_call_asks_for_many_tools() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = one_by_one(&chain, &ids).await;
    let plain = Line::new(&chain.anvil.url, |_| Action::Pass);
    let (line, registry) = chain
        .behind(move |asked| multicall(&plain, asked, false))
        .await;
    line.take();
    assert_eq!(registry.tools(&ids).await.unwrap(), expected);
    // The block, the code of Multicall3, and two calls.
    assert_eq!(line.packets(), 4);
    assert_eq!(blocks(&line.take()).len(), 1);
}

#[tokio::test]
async fn what_a_multicall_could_not_ask_is_asked_again() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = one_by_one(&chain, &ids).await;
    let plain = Line::new(&chain.anvil.url, |_| Action::Pass);
    let (line, registry) = chain
        .behind(move |asked| multicall(&plain, asked, true))
        .await;
    assert_eq!(registry.tools(&ids).await.unwrap(), expected);
    assert_eq!(blocks(&line.take()).len(), 1);
}
