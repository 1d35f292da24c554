use alloy_primitives::{Address, Bytes, U256, address, hex};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::IToolRegistry;
use serde_json::{Value, json};

use crate::{
    chain::Chain,
    transport::{Action, Request, TestTransport},
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

/// Ids of registered, deregistered and missing tools: more than fit into one request.
async fn tools(chain: &Chain) -> Vec<U256> {
    for _ in 0..5 {
        chain.register(Address::ZERO).await;
    }
    let call = IToolRegistry::deregisterToolCall {
        toolId: U256::from(2),
    };
    chain.send(0, chain.registry.address(), &call);
    let ids: Vec<_> = (0..70_u64).map(|id| U256::from(id % 8)).collect();
    chain.transport.take_requests();
    ids
}

/// The states of the tools, each with its own request.
async fn read_individually(chain: &Chain, ids: &[U256]) -> Vec<atr_registry::ToolState> {
    let mut states = Vec::new();
    for id in ids {
        states.push(chain.registry.tool(*id).await.unwrap());
    }
    chain.transport.take_requests();
    states
}

fn blocks(requests: &[Request]) -> Vec<Value> {
    let calls = requests
        .iter()
        .filter(|request| request.method == "eth_call");
    let mut blocks: Vec<_> = calls.map(|request| request.params[1].clone()).collect();
    blocks.dedup();
    blocks
}

#[tokio::test]
async fn batches_the_reads_of_many_tools_at_one_block() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = read_individually(&chain, &ids).await;
    assert_eq!(chain.registry.tools(&ids).await.unwrap(), expected);
    // The block, the code of Multicall3, and two batches.
    assert_eq!(chain.transport.packets(), 4);
    let blocks = blocks(&chain.transport.take_requests());
    assert!(blocks.len() == 1 && blocks[0] != "latest", "{blocks:?}");
    assert_eq!(chain.registry.tools(&[]).await.unwrap(), []);
    assert_eq!(chain.transport.packets(), 0);
}

#[tokio::test]
async fn reads_individually_if_the_node_does_not_support_batches() {
    let chain = Chain::start().await;
    let ids = &tools(&chain).await[..8];
    let expected = read_individually(&chain, ids).await;
    let transport = TestTransport::new(&chain.anvil.url, |_| Action::Forward);
    let transport = transport.without_batches();
    let provider = crate::chain::provider(&transport);
    let registry = atr_registry::Registry::connect(provider, chain.registry.address());
    assert_eq!(registry.await.unwrap().tools(ids).await.unwrap(), expected);
}

/// Simulates Multicall3; optionally every third call fails as if out of gas.
fn multicall(transport: &TestTransport, request: &Request, runs_out_of_gas: bool) -> Action {
    match (request.method.as_str(), &request.params[0]) {
        ("eth_getCode", Value::String(at)) if at.parse() == Ok(MULTICALL3) => {
            Action::Return(json!("0x01"))
        }
        ("eth_call", call) if call["to"].as_str().unwrap().parse() == Ok(MULTICALL3) => {
            let data = hex::decode(call["input"].as_str().unwrap()).unwrap();
            let calls = aggregate3Call::abi_decode(&data).unwrap().calls;
            let results = calls.into_iter().enumerate().map(|(index, call)| {
                assert!(call.allowFailure);
                if runs_out_of_gas && index % 3 == 0 {
                    return Result3 {
                        success: false,
                        returnData: Bytes::new(),
                    };
                }
                let call = json!({ "to": call.target, "input": call.callData });
                let params = json!([call, request.params[1]]);
                let inner =
                    json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": params });
                let response = transport.post(&inner);
                let bytes = |value: &Value| value.as_str().unwrap().parse().unwrap();
                match response.get("error") {
                    Some(error) => Result3 {
                        success: false,
                        returnData: bytes(&error["data"]),
                    },
                    None => Result3 {
                        success: true,
                        returnData: bytes(&response["result"]),
                    },
                }
            });
            let results = aggregate3Call::abi_encode_returns(&results.collect());
            Action::Return(json!(hex::encode_prefixed(results)))
        }
        _ => Action::Forward,
    }
}

#[tokio::test]
async fn uses_multicall3_where_it_is_deployed() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = read_individually(&chain, &ids).await;
    let direct = TestTransport::new(&chain.anvil.url, |_| Action::Forward);
    let (transport, registry) = chain
        .with_rule(move |request| multicall(&direct, request, false))
        .await;
    transport.take_requests();
    assert_eq!(registry.tools(&ids).await.unwrap(), expected);
    // The block, the code of Multicall3, and two calls.
    assert_eq!(transport.packets(), 4);
    assert_eq!(blocks(&transport.take_requests()).len(), 1);
}

#[tokio::test]
async fn retries_calls_that_fail_inside_a_multicall() {
    let chain = Chain::start().await;
    let ids = tools(&chain).await;
    let expected = read_individually(&chain, &ids).await;
    let direct = TestTransport::new(&chain.anvil.url, |_| Action::Forward);
    let (transport, registry) = chain
        .with_rule(move |request| multicall(&direct, request, true))
        .await;
    assert_eq!(registry.tools(&ids).await.unwrap(), expected);
    assert_eq!(blocks(&transport.take_requests()).len(), 1);
}
