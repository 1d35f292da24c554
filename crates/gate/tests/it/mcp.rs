use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use atr_auth::{
    Challenge,
    x402::mcp::{PAYMENT, RECEIPT, read_challenge},
};
use atr_gate::{
    Body, Gate, ToolSchemas,
    mcp::{McpLayer, McpTool},
};
use atr_manifest::Document;
use atr_schema::Schema;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};

use crate::{
    caller::{Answer, Caller},
    handler::Handler,
    payment::World,
};

/// An MCP server with the tools `paid` and `free`.
fn layer(world: &World) -> McpLayer {
    let schema = Document::parse(r#"{ "type": "object", "required": ["q"] }"#).unwrap();
    let tool = McpTool {
        gate: Arc::new(Gate::new(world.config.clone()).unwrap()),
        schemas: ToolSchemas {
            input: Some(Arc::new(Schema::compile(schema.root()).unwrap())),
            output: None,
        },
    };
    let tools = BTreeMap::from([("paid".to_owned(), tool)]);
    McpLayer::new(tools, BTreeSet::from(["free".to_owned()]), 1 << 20)
}

fn server(content_type: &'static str, body: &'static str) -> Handler {
    Handler::new(move || {
        let response = Response::builder().header("content-type", content_type);
        response
            .body(Full::new(Bytes::from_static(body.as_bytes())))
            .unwrap()
    })
}

const RESULT: &str =
    r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"42"}]}}"#;

async fn post(layer: &McpLayer, handler: &Handler, message: &Value) -> Answer {
    let body: Body = Full::from(message.to_string())
        .map_err(|never| match never {})
        .boxed_unsync();
    let request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("x-tool-caller", "0xforged")
        .body(body)
        .unwrap();
    let service = layer.layer(handler.clone());
    Answer::read(service.oneshot(request).await.unwrap()).await
}

fn call(name: &str, arguments: &Value, payment: Option<&Value>) -> Value {
    let mut message = json!({
        "jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": { "name": name, "arguments": arguments },
    });
    if let Some(payment) = payment {
        message["params"]["_meta"] = json!({ PAYMENT: payment });
    }
    message
}

/// The challenge of a tool result.
fn challenge(answer: &Answer) -> Challenge {
    let result = Document::parse(answer.json()["result"].to_string()).unwrap();
    read_challenge(result.root()).unwrap().unwrap()
}

/// The payment that answers it.
fn payment(world: &World, challenge: &Challenge) -> Value {
    let caller = Caller::new(1);
    let signed = caller.sign(caller.authorization(challenge, world.now));
    let payment = challenge.payment(&challenge.requirements[0], signed);
    serde_json::to_value(payment).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_for_free_and_called_for_their_price() {
    let world = World::start();
    let handler = server("application/json", RESULT);
    let layer = layer(&world);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(post(&layer, &handler, &list).await.body, RESULT);
    // No gate decided, so nobody may say who calls.
    assert!(!handler.calls()[0].headers.contains_key("x-tool-caller"));

    let demand = post(&layer, &handler, &call("paid", &json!({ "q": 1 }), None)).await;
    assert_eq!(demand.status, 200);
    let answer = demand.json();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!(7), &json!(true))
    );
    assert_eq!(answer["result"]["structuredContent"]["x402Version"], 2);
    assert_eq!(handler.count(), 1);

    let payment = payment(&world, &challenge(&demand));
    let paid = call("paid", &json!({ "q": 1 }), Some(&payment));
    let answer = post(&layer, &handler, &paid).await;
    let result = answer.json()["result"].clone();
    assert_eq!(result["content"][0]["text"], "42", "{answer:?}");
    assert_eq!(result["_meta"][RECEIPT]["success"], true);
    assert!(result["_meta"][RECEIPT]["transaction"].is_string());
    world.assert_paid(1);
    // The server does not see the payment.
    let seen = String::from_utf8(handler.calls()[1].body.to_vec()).unwrap();
    assert!(
        !seen.contains("signature") && seen.contains("\"q\":1"),
        "{seen}"
    );

    let again = post(&layer, &handler, &paid).await;
    assert_eq!(again.json()["result"]["content"][0]["text"], "42");
    world.assert_paid(1);
    assert_eq!(handler.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_events_carries_the_receipt() {
    let world = World::start();
    let events = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n\
                  event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}\n\n";
    let handler = server("text/event-stream", events);
    let layer = layer(&world);
    let demand = post(&layer, &handler, &call("paid", &json!({ "q": 1 }), None)).await;
    let payment = payment(&world, &challenge(&demand));
    let answer = post(
        &layer,
        &handler,
        &call("paid", &json!({ "q": 1 }), Some(&payment)),
    )
    .await;
    let text = std::str::from_utf8(&answer.body).unwrap();
    let data: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert_eq!(data.len(), 2, "{text}");
    let last: Value = serde_json::from_str(data[1]).unwrap();
    assert_eq!(last["result"]["_meta"][RECEIPT]["success"], true, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_paid_for_arguments_that_the_tool_does_not_accept() {
    let world = World::start();
    let handler = server("application/json", RESULT);
    let layer = layer(&world);
    let demand = post(&layer, &handler, &call("paid", &json!({}), None)).await;
    let payment = payment(&world, &challenge(&demand));
    let answer = post(&layer, &handler, &call("paid", &json!({}), Some(&payment))).await;
    let result = &answer.json()["result"];
    assert_eq!(result["isError"], true, "{answer:?}");
    assert_eq!(result["structuredContent"]["code"], "invalid_input");
    assert_eq!(handler.count(), 0);
    world.assert_paid(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_tools_and_ambiguous_messages_are_refused() {
    let world = World::start();
    let handler = server("application/json", RESULT);
    let layer = layer(&world);
    assert_eq!(
        post(&layer, &handler, &call("free", &json!({}), None))
            .await
            .body,
        RESULT
    );
    let unknown = post(&layer, &handler, &call("other", &json!({}), None)).await;
    assert_eq!(unknown.json()["error"]["code"], -32602);
    let batch = json!([call("paid", &json!({}), None)]);
    let refused = post(&layer, &handler, &batch).await;
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (400, &json!(-32600))
    );
    let malformed = json!({ "x402Version": 2, "payload": null });
    let answer = post(
        &layer,
        &handler,
        &call("paid", &json!({ "q": 1 }), Some(&malformed)),
    )
    .await;
    assert_eq!(answer.json()["result"]["isError"], true);
    assert_eq!(handler.count(), 1);
    world.assert_paid(0);
}

/// Sends a request that is not a plain message.
async fn send(
    layer: &McpLayer,
    handler: &Handler,
    method: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let body: Body = Full::from(body.to_owned())
        .map_err(|never| match never {})
        .boxed_unsync();
    let request = Request::builder().method(method).uri("/mcp");
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    let service = layer.layer(handler.clone());
    Answer::read(service.oneshot(request.body(body).unwrap()).await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_a_server_could_read_differently_do_not_reach_it() {
    let world = World::start();
    let handler = server("application/json", RESULT);
    let layer = layer(&world);
    let message = call("paid", &json!({ "q": 1 }), None).to_string();
    let json = ("content-type", "application/json");
    let overridden = ("x-http-method-override", "POST");
    let upgrade = ("upgrade", "websocket");
    for (method, headers) in [
        ("PUT", &[json][..]),
        ("post", &[json]),
        ("PATCH", &[json]),
        ("GET", &[json, overridden]),
        ("DELETE", &[json]),
    ] {
        let answer = send(&layer, &handler, method, headers, &message).await;
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.header("allow").is_some());
    }
    for method in ["GET", "POST"] {
        let answer = send(&layer, &handler, method, &[upgrade], "").await;
        assert_eq!(answer.status, 405, "{method}");
    }
    let utf7 = r#"{"jsonrpc":"2.0","id":7,"method":"tools+AC8-call","params":{"name":"paid"}}"#;
    for content_type in ["application/json; charset=utf-7", "text/plain"] {
        let content_type = ("content-type", content_type);
        let answer = send(&layer, &handler, "POST", &[content_type], utf7).await;
        assert_eq!(answer.status, 415, "{content_type:?}");
    }
    for message in [
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/call","params":{"name":"paid"}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"free","Name":"paid"}}"#,
        r#"[[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"paid"}}]]"#,
    ] {
        let answer = send(&layer, &handler, "POST", &[json], message).await;
        assert_eq!(answer.status, 400, "{message}");
    }
    assert_eq!(handler.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_without_a_gate_carry_no_credentials() {
    let world = World::start();
    let handler = server("application/json", RESULT);
    let layer = layer(&world);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let payment = json!({ "x402Version": 2, "payload": {} });
    let free = call("free", &json!({}), Some(&payment)).to_string();
    let headers = [
        ("content-type", "application/json"),
        (
            "x-tool-caller",
            "0x1111111111111111111111111111111111111111",
        ),
        ("x-tool-paid", "true"),
        ("x-payment", "e30="),
        ("payment-signature", "e30="),
        (
            "x-delegate-for",
            "0x1111111111111111111111111111111111111111",
        ),
        ("x-http-method-override", "POST"),
        ("authorization", "Bearer of-the-server"),
    ];
    for (method, body) in [
        ("POST", &*list),
        ("POST", &free),
        ("GET", ""),
        ("DELETE", ""),
    ] {
        let answer = send(&layer, &handler, method, &headers, body).await;
        assert_eq!(answer.status, 200, "{method} {body}");
        let seen = handler.calls().pop().unwrap();
        let mut names: Vec<_> = seen.headers.keys().map(|name| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["authorization", "content-type"]);
        assert!(!String::from_utf8_lossy(&seen.body).contains("payload"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_fails_in_the_protocol_is_not_paid_for() {
    // L-19: status 200 says nothing about an MCP call.
    let world = World::start();
    let layer = layer(&world);
    let arguments = json!({ "q": 1 });
    let good = server("application/json", RESULT);
    let demand = post(&layer, &good, &call("paid", &arguments, None)).await;
    let payment = payment(&world, &challenge(&demand));
    let message = call("paid", &arguments, Some(&payment));
    for (content_type, body) in [
        (
            "application/json",
            r#"{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[]}}"#,
        ),
        (
            "application/json",
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}"#,
        ),
        (
            "text/event-stream",
            "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"isError\":true}}\n\n",
        ),
    ] {
        let answer = post(&layer, &server(content_type, body), &message).await;
        assert_eq!((answer.status, &*answer.body), (200, body.as_bytes()));
        assert_eq!(answer.header("payment-response"), None);
    }
    assert_eq!(world.facilitator.count("settle"), 0);
    world.assert_paid(0);
    // The payment was not used up.
    let answer = post(&layer, &good, &message).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "42");
    world.assert_paid(1);
}
