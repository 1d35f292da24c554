use atr_auth::encode_base64;
use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use super::fixture::{AGENT, DELEGATE_REGISTRY, GateFixture, HOLDER};
use crate::fixture::Fixture;

#[test]
fn a_denial_lists_the_requirements() {
    // L-01, L-11
    let fixture = GateFixture::new();
    let gate = fixture.start(&[]);
    let bare = gate.post(&[]);
    assert_eq!(bare.status, 402);
    let body = bare.json();
    assert_eq!(body["accepts"][0]["payTo"], ACCOUNT);
    assert_eq!(body["accepts"][0]["maxAmountRequired"], "0");
    assert_eq!(body["accepts"][0]["network"], "base");
    let endpoint = format!("{}/oracle", fixture.chain.server.origin());
    assert_eq!(body["accepts"][0]["resource"], endpoint.as_str());
    assert!(bare.header("payment-required").is_some());
    assert_eq!(bare.header("cache-control"), Some("no-store"));
    assert_eq!(bare.header("access-control-allow-origin"), Some("*"));

    let denied = gate.call(HOLDER, &[]);
    assert_eq!(denied.status, 403, "{denied:?}");
    let body = denied.json();
    assert_eq!(body["code"], "access_denied");
    assert_eq!(body["toolId"], "1");
    let requirements = body["requirements"].to_string();
    let collection = format!("{:#x}", fixture.collection);
    assert!(
        requirements.to_lowercase().contains(&collection[2..]),
        "{requirements}"
    );
    assert!(fixture.received().is_empty());
}

#[test]
fn a_holder_is_admitted_until_the_next_block_says_otherwise() {
    // L-10
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let gate = fixture.start(&[]);
    let admitted = gate.call(HOLDER, &[("x-tool-caller", "forged")]);
    assert_eq!(admitted.status, 200, "{admitted:?}");
    let body = admitted.json();
    assert_eq!(
        body,
        json!({ "path": "/oracle", "caller": ACCOUNTS[HOLDER], "agent": "none" })
    );
    let request = &fixture.received()[0];
    assert_eq!(request.body, b"{}");
    for name in ["x-payment", "payment-signature"] {
        assert_eq!(request.header(name), None);
    }
    assert_eq!(request.header("x-forwarded-for"), Some("127.0.0.1"));

    fixture.burn(7);
    let denied = gate.call_until(HOLDER, &[], 403);
    assert_eq!(denied.json()["code"], "access_denied");
    let served = fixture.received().len();
    assert_eq!(gate.call(HOLDER, &[]).status, 403);
    assert_eq!(fixture.received().len(), served);
}

#[test]
fn an_agent_calls_for_a_holder_who_delegated() {
    // L-14, L-15, L-16
    let fixture = GateFixture::new();
    fixture.place_delegate_registry();
    fixture.mint(HOLDER, 7);
    let gate = fixture.start(&[]);
    let on_behalf = [("x-delegate-for", ACCOUNTS[HOLDER])];
    let refused = gate.call(AGENT, &on_behalf);
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (403, Some("not_delegated"))
    );
    fixture.delegate(HOLDER, AGENT, true);
    let admitted = gate.call_until(AGENT, &on_behalf, 200);
    let body = admitted.json();
    assert_eq!(body["caller"], ACCOUNTS[HOLDER]);
    assert_eq!(body["agent"], ACCOUNTS[AGENT]);
    fixture.delegate(HOLDER, AGENT, false);
    gate.call_until(AGENT, &on_behalf, 403);
    assert_eq!(DELEGATE_REGISTRY.len(), 42);
}

#[test]
fn a_credential_works_once_and_never_for_another_payee() {
    // L-04, L-08, L-21
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let gate = fixture.start(&[]);
    let (name, value) = gate.credential(HOLDER);
    assert_eq!(gate.post(&[(&name, &value)]).status, 200);
    let again = gate.post(&[(&name, &value)]);
    assert_ne!(again.status, 200, "{again:?}");
    let malformed = encode_base64(b"null", atr_auth::Alphabet::Standard);
    assert_eq!(gate.post(&[("x-payment", &malformed)]).status, 401);

    // The same tool behind a gate with another operator.
    let args: Vec<_> = fixture.args();
    let args: Vec<_> = args
        .iter()
        .map(|arg| if arg == ACCOUNT { ACCOUNTS[AGENT] } else { arg })
        .collect();
    let other = fixture.run(&args);
    let (name, value) = gate.credential(HOLDER);
    assert_eq!(other.post(&[(&name, &value)]).status, 401);
}

#[test]
fn the_manifest_passes_verification_where_the_gate_serves_it() {
    // L-25
    let fixture = GateFixture::new();
    let gate = fixture.start(&[]);
    let manifest = fixture.chain.manifest("oracle").to_string();
    let served = gate.get("/.well-known/ai-tool/oracle.json");
    assert_eq!(
        (served.status, served.body.as_str()),
        (200, manifest.as_str())
    );
    let discovery = gate.get("/.well-known/x402.json").json();
    let endpoint = format!("{}/oracle", fixture.chain.server.origin());
    assert_eq!(discovery["resources"], json!([endpoint]));

    // The origin of the manifest passes requests on to the gate: `atr verify` sees the gate's response.
    let url = gate.url.clone();
    let relay = std::sync::Mutex::new(gate);
    fixture
        .chain
        .server
        .route(&crate::fixture::path("oracle"), move |_| {
            let reply = relay
                .lock()
                .unwrap()
                .get("/.well-known/ai-tool/oracle.json");
            atr_loopback::Response::new(reply.status, reply.body)
        });
    let tool = Fixture::tool(1).replace("31337", "8453");
    let report = fixture.chain.json(&["verify", &tool], 0);
    assert_eq!(report["summary"]["usable"], 1, "{url}");
}

#[test]
fn input_and_output_follow_the_schemas_of_the_manifest() {
    // L-24
    let fixture = GateFixture::new();
    let mut manifest = fixture.chain.manifest("strict");
    manifest["inputs"] = json!({ "type": "object", "required": ["question"] });
    manifest["outputs"] = json!({ "type": "object", "required": ["answer"] });
    let hash = fixture.chain.serve("strict", &manifest);
    fixture
        .chain
        .register(ACCOUNT, &fixture.chain.uri("strict"), hash);
    let url = fixture.upstream_url();
    let tool = [
        "gate",
        "--tool",
        "2",
        "--upstream",
        &url,
        "--operator",
        ACCOUNT,
    ];
    let server = fixture.server_args();
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    let gate = fixture.run(&[&tool[..], &server].concat());
    let call = |body: &str| {
        let json = ("content-type", "application/json");
        let bare = gate.send("POST /strict", &[json], body);
        let (name, value) = super::fixture::sign(&bare, HOLDER);
        gate.send("POST /strict", &[json, (&name, &value)], body)
    };
    let input = call("{}");
    assert_eq!(
        (input.status, input.json()["code"].as_str()),
        (400, Some("invalid_input"))
    );
    assert!(fixture.received().is_empty());
    // The upstream server does not return `answer`.
    let output = call(r#"{"question": "?"}"#);
    assert_eq!(
        (output.status, output.json()["code"].as_str()),
        (502, Some("invalid_output"))
    );

    let lenient = fixture.run(&[&tool[..], &server, &["--no-schemas"]].concat());
    let bare = lenient.send("POST /strict", &[], "{}");
    let (name, value) = super::fixture::sign(&bare, HOLDER);
    assert_eq!(
        lenient
            .send("POST /strict", &[(&name, &value)], "{}")
            .status,
        200
    );
}

#[test]
fn a_preview_has_three_outcomes_and_authenticates_nobody() {
    // M-10
    let fixture = GateFixture::new();
    let preview = ["access", "preview", "1", ACCOUNTS[HOLDER]];
    let result = |report: &Value| (report["ok"].clone(), report["granted"].clone());
    let denied = fixture.chain.json(&preview, 1);
    assert_eq!(result(&denied), (json!(true), json!(false)));
    let kind = &denied["predicate"]["requirements"]["requirements"][0]["decoded"]["type"];
    assert_eq!(kind, "erc721", "{denied}");

    // J-15: the account acquires what is required, and asks again.
    fixture.mint(HOLDER, 1);
    let granted = fixture.chain.json(&preview, 0);
    assert_eq!(result(&granted), (json!(true), json!(true)));
    assert_eq!(granted["verified"], true);

    // The predicate fails: not a denial.
    fixture.chain.set_code(fixture.collection, "0xfe");
    let unknown = fixture.chain.json(&preview, 3);
    assert_eq!(result(&unknown), (json!(false), json!(false)));
    let text = fixture.chain.output(&preview);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("not a denial"), "{text}");
    assert!(fixture.received().is_empty());
}
