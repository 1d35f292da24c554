use std::fs;

use atr_auth::{Challenge, x402::mcp::read_challenge};
use atr_loopback::{ACCOUNT, ACCOUNTS};
use atr_manifest::Document;
use serde_json::{Value, json};

use super::fixture::{AGENT, GateFixture, HOLDER, RunningGate, sign_challenge};

fn call(name: &str, payment: Option<Value>) -> Value {
    let mut message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": {} },
    });
    if let Some(payment) = payment {
        message["params"]["_meta"] = json!({ "x402/payment": payment });
    }
    message
}

fn post(gate: &RunningGate, message: &Value) -> Value {
    // The gate alone says who calls.
    let forged = ("x-tool-caller", ACCOUNT);
    let json = ("content-type", "application/json");
    gate.send("POST /mcp", &[json, forged], &message.to_string())
        .json()
}

fn challenge(answer: &Value) -> Challenge {
    let result = Document::parse(answer["result"].to_string()).unwrap();
    read_challenge(result.root()).unwrap().unwrap()
}

fn signed(answer: &Value, index: usize) -> Value {
    let challenge = challenge(answer);
    let signed = sign_challenge(&challenge, index);
    serde_json::to_value(challenge.payment(&challenge.requirements[0], signed)).unwrap()
}

#[test]
fn tools_of_an_mcp_server_have_gates_of_their_own() {
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let hash = fixture.chain.serve("open", &fixture.chain.manifest("open"));
    fixture
        .chain
        .register(ACCOUNT, &fixture.chain.uri("open"), hash);
    let url = fixture.upstream_url();
    let tool = |id: u8, name: &str| {
        format!(
            "[[gate.tool]]\ntool = \"{id}\"\nmcp = \"{name}\"\npath = \"/mcp\"\nupstream = \"{url}\"\n"
        )
    };
    let head = format!("[gate]\noperator = \"{ACCOUNT}\"\nmcp-free-tools = [\"help\"]\n");
    let text = head + &tool(1, "holders") + &tool(2, "everyone");
    fs::write(fixture.chain.atr.path("gate.toml"), &text).unwrap();
    let server = fixture.server_args();
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    let args = [&["gate", "--config", "gate.toml"][..], &server].concat();
    let gate = fixture.run(&args);
    assert_eq!(gate.report["tools"][0]["mcpTool"], "holders");

    // The upstream server of the fixture returns the path and the caller, whatever it is asked.
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for free in [list, call("help", None)] {
        assert_eq!(post(&gate, &free)["caller"], "none");
    }
    assert_eq!(post(&gate, &call("other", None))["error"]["code"], -32602);
    let demand = post(&gate, &call("holders", None));
    assert_eq!(demand["result"]["isError"], true, "{demand}");
    let denied = post(&gate, &call("holders", Some(signed(&demand, AGENT))));
    assert_eq!(
        denied["result"]["structuredContent"]["code"], "access_denied",
        "{denied}"
    );
    let admitted = post(&gate, &call("holders", Some(signed(&demand, HOLDER))));
    assert_eq!(admitted["caller"], ACCOUNTS[HOLDER]);
    let admitted = post(&gate, &call("everyone", Some(signed(&demand, AGENT))));
    assert_eq!(admitted["caller"], ACCOUNTS[AGENT]);

    fs::write(
        fixture.chain.atr.path("gate.toml"),
        text.replace("everyone", "holders"),
    )
    .unwrap();
    let output = fixture.chain.atr.output(&args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("is gated twice"), "{error}");
}
