use std::fs;

use atr_loopback::{ACCOUNT, ACCOUNTS};

use super::fixture::{AGENT, GateFixture, HOLDER, RunningGate};

fn write(fixture: &GateFixture, text: &str) {
    fs::write(fixture.chain.atr.path("gate.toml"), text).unwrap();
}

fn run(fixture: &GateFixture) -> RunningGate {
    let server = fixture.server_args();
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    fixture.run(&[&["gate", "--config", "gate.toml", "-v"][..], &server].concat())
}

fn config(fixture: &GateFixture, operator: &str, path: &str) -> String {
    let url = fixture.upstream_url();
    format!(
        "[gate]\noperator = \"{operator}\"\n\n[[gate.tool]]\ntool = \"1\"\nupstream = \"{url}\"\n\n\
         [[gate.route]]\npath = \"{path}\"\nupstream = \"{url}\"\n"
    )
}

fn payee(gate: &RunningGate) -> String {
    let body = gate.post(&[]).json();
    body["accepts"][0]["payTo"].as_str().unwrap().to_owned()
}

#[test]
fn several_tools_and_open_routes_share_a_gate() {
    let fixture = GateFixture::new();
    let hash = fixture.chain.serve("open", &fixture.chain.manifest("open"));
    fixture
        .chain
        .register(ACCOUNT, &fixture.chain.uri("open"), hash);
    let url = fixture.upstream_url();
    let more = format!(
        "[[gate.tool]]\ntool = \"2\"\nupstream = \"{url}/base\"\noperator = \"{}\"\n",
        ACCOUNTS[AGENT]
    );
    write(&fixture, &(config(&fixture, ACCOUNT, "/docs") + &more));
    let gate = run(&fixture);
    // The first tool is for holders, the second for everyone who signs.
    assert_eq!(gate.call(HOLDER, &[]).status, 403);
    let bare = gate.send("POST /open", &[], "{}");
    assert_eq!(bare.json()["accepts"][0]["payTo"], ACCOUNTS[AGENT]);
    let (name, value) = super::fixture::sign(&bare, HOLDER);
    let reply = gate.send("POST /open", &[(&name, &value)], "{}");
    assert_eq!(reply.json()["path"], "/base/open", "{reply:?}");
    // A credential for one tool is none for the other.
    let (name, value) = gate.credential(HOLDER);
    assert_eq!(
        gate.send("POST /open", &[(&name, &value)], "{}").status,
        401
    );
    let docs = gate.get("/docs/a");
    assert_eq!(docs.json()["path"], "/docs/a");
    assert_eq!(docs.json()["caller"], "none");
    // Everyone may use it, but nobody as somebody else, and no credential for a tool gets there.
    let forged = [
        ("x-tool-caller", ACCOUNTS[HOLDER]),
        ("x-tool-paid", "true"),
        (name.as_str(), value.as_str()),
        ("x-delegate-for", ACCOUNTS[HOLDER]),
        ("authorization", "Bearer of-the-server"),
    ];
    let docs = gate.send("GET /docs/a", &forged, "");
    assert_eq!(docs.json()["caller"], "none");
    let received = fixture.received().pop().unwrap();
    for (header, _) in &forged[..4] {
        assert_eq!(received.header(header), None, "{header}");
    }
    assert!(received.header("authorization").is_some());
    for slug in ["oracle", "open"] {
        let path = format!("/.well-known/ai-tool/{slug}.json");
        assert_eq!(gate.get(&path).status, 200);
    }
}

#[test]
fn a_reload_on_sighup_replaces_routes_and_policy_at_once() {
    let fixture = GateFixture::new();
    write(&fixture, &config(&fixture, ACCOUNT, "/docs"));
    let mut gate = run(&fixture);
    assert_eq!(payee(&gate), ACCOUNT);
    let (name, value) = gate.credential(HOLDER);
    write(&fixture, &config(&fixture, ACCOUNTS[AGENT], "/other"));
    gate.signal("-HUP");
    gate.wait_for_log("configuration reloaded");
    assert_eq!(payee(&gate), ACCOUNTS[AGENT]);
    assert_eq!(gate.get("/docs").status, 404);
    assert_eq!(gate.get("/other").status, 200);
    assert_eq!(
        gate.post(&[(&name, &value)]).status,
        401,
        "signed for the old operator"
    );
}

#[test]
fn a_used_credential_stays_used_after_a_reload() {
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    write(&fixture, &config(&fixture, ACCOUNT, "/docs"));
    let mut gate = run(&fixture);
    let (name, value) = gate.credential(HOLDER);
    assert_eq!(gate.post(&[(&name, &value)]).status, 200);
    gate.signal("-HUP");
    gate.wait_for_log("configuration reloaded");
    assert_ne!(gate.post(&[(&name, &value)]).status, 200);
}

#[test]
fn an_invalid_file_keeps_the_old_configuration() {
    let fixture = GateFixture::new();
    write(&fixture, &config(&fixture, ACCOUNT, "/docs"));
    let mut gate = run(&fixture);
    let valid = config(&fixture, ACCOUNTS[AGENT], "/other");
    for (text, expected) in [
        ("[gate\n".to_owned(), "invalid TOML"),
        (valid.replace("operator", "operater"), "operater"),
        (
            valid.replace("tool = \"1\"", "tool = \"99\""),
            "not registered",
        ),
        (
            valid.replace(
                "[gate]\n",
                "[gate]\ntls-cert = \"none.pem\"\ntls-key = \"none.pem\"\n",
            ),
            "none.pem",
        ),
        (
            valid.replace("/other", "/oracle"),
            "two routes have the path",
        ),
    ] {
        write(&fixture, &text);
        gate.signal("-HUP");
        // The change of the file can be noticed before the signal, and reported twice.
        let log = gate.wait_for_log(expected);
        assert!(log.contains("stays in effect"), "{log}");
        assert_eq!(payee(&gate), ACCOUNT);
        assert_eq!(gate.get("/docs").status, 200);
    }
    write(&fixture, &valid);
    gate.wait_for_log("configuration reloaded");
    assert_eq!(payee(&gate), ACCOUNTS[AGENT]);
}

#[test]
fn errors_of_the_file_name_the_line() {
    let fixture = GateFixture::new();
    for (text, expected) in [
        ("[gate]\nbind = 8402\n", "gate.toml:2:"),
        ("[gate]\n\nbnid = \"127.0.0.1:1\"\n", "gate.toml:3:"),
        (
            "[gate]\n[[gate.tool]]\ntool = \"x\"\nupstream = \"http://a.example\"\n",
            "gate.toml:3:",
        ),
        (
            "[gate]\ntrusted-proxies = [\"10.0.0.0/64\"]\n",
            "gate.toml:2:",
        ),
    ] {
        write(&fixture, text);
        let output = fixture.chain.atr.output(&["gate", "--config", "gate.toml"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}
