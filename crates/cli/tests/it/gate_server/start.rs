use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use super::fixture::{GateFixture, HOLDER};
use crate::atr::Atr;

/// Exit code and error of a gate that does not start.
fn refused(fixture: &GateFixture, args: &[&str]) -> (i32, String) {
    let output = fixture.chain.atr.output(args);
    assert!(output.stdout.is_empty(), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), error)
}

#[test]
fn prints_what_it_serves_and_how_to_try_it() {
    let fixture = GateFixture::new();
    let gate = fixture.start(&[]);
    let tool = &gate.report["tools"][0];
    assert_eq!(gate.report["outcome"], "success");
    assert_eq!(tool["path"], "/oracle");
    assert_eq!(tool["prices"][0]["amount"], "0");
    assert_eq!(tool["prices"][0]["payTo"], ACCOUNT);
    assert!(
        tool["predicate"].as_str().unwrap().starts_with("erc721 ("),
        "{tool}"
    );
    assert_eq!(gate.get("/healthz").status, 200);
    assert_eq!(gate.get("/readyz").status, 200);
    assert_eq!(gate.get("/elsewhere").status, 404);
    gate.call(HOLDER, &[]);
    // The gate notices closed connections after its answers arrived here.
    let metrics = || gate.get("/metrics").body;
    let is_current = |metrics: &String| metrics.contains("atr_gate_connections_open 1\n");
    let metrics = std::iter::repeat_with(metrics).take(1_000).find(is_current);
    let metrics = metrics.expect("closed connections are still counted");
    assert!(metrics.contains("code=\"access_denied\"} 1"), "{metrics}");
    let (code, log) = gate.stop();
    assert_eq!(code, 0, "{log}");
}

#[test]
fn an_admin_address_hides_metrics_from_callers() {
    let fixture = GateFixture::new();
    let mut gate = fixture.start(&["--admin-bind", "127.0.0.1:0"]);
    assert_eq!(gate.get("/metrics").status, 404);
    assert_eq!(gate.post(&[]).status, 402);
    gate.url = gate.report["adminUrl"].as_str().unwrap().to_owned();
    assert_eq!(gate.get("/metrics").status, 200);
    assert_eq!(gate.get("/readyz").status, 200);
    assert_eq!(gate.post(&[]).status, 404);
}

#[test]
fn refuses_a_tool_that_is_not_verified() {
    let fixture = GateFixture::new();
    let mut manifest = fixture.chain.manifest("oracle");
    manifest["description"] = json!("Returns other prices.");
    fixture.chain.serve("oracle", &manifest);
    let args = fixture.args();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let (code, error) = refused(&fixture, &args);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("(check 3)"), "{error}");

    // A file with the registered bytes replaces what the URL serves now.
    let registered = fixture.chain.manifest("oracle").to_string();
    std::fs::write(fixture.chain.atr.path("oracle.json"), &registered).unwrap();
    let gate = fixture.start(&["--manifest", "oracle.json"]);
    assert_eq!(
        gate.get("/.well-known/ai-tool/oracle.json").body,
        registered
    );

    fixture.chain.server.remove(&crate::fixture::path("oracle"));
    let (code, error) = refused(&fixture, &args);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("--manifest <file>"), "{error}");
}

#[test]
fn refuses_another_price_than_the_manifest_says() {
    let fixture = GateFixture::new();
    let args = fixture.args();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let (code, error) = refused(&fixture, &[&args[..], &["--price", "0.01"]].concat());
    assert_eq!(code, 1, "{error}");
    assert!(
        error.contains("the price is 0.01, but the manifest says 0 USDC"),
        "{error}"
    );
    fixture.start(&["--price", "0"]);
}

#[test]
fn usage_errors_name_the_flag() {
    let fixture = GateFixture::new();
    let url = fixture.upstream_url();
    let server = fixture.server_args();
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    for (args, expected) in [
        (vec![], "use --tool and --upstream"),
        (
            vec!["--tool", "1", "--upstream", "ftp://a.example"],
            "must be http or https",
        ),
        (
            vec!["--tool", "1", "--upstream", &url, "--cors", "app.example"],
            "--cors",
        ),
        (
            vec!["--tool", "1", "--upstream", &url, "--facilitator", "x"],
            "--facilitator",
        ),
        (
            vec![
                "--tool",
                "1",
                "--upstream",
                &url,
                "--operator",
                ACCOUNT,
                "--path",
                "/healthz",
            ],
            "cannot be a route",
        ),
        (vec!["--tool", "1"], "--upstream"),
    ] {
        let (code, error) = refused(&fixture, &[&["gate"][..], &args, &server].concat());
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    let no_operator = ["gate", "--tool", "1", "--upstream", &url];
    let (code, error) = refused(&fixture, &[&no_operator[..], &server].concat());
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("--operator"), "{error}");
}

#[test]
fn two_tools_on_one_slug_are_refused() {
    // G-09
    let fixture = GateFixture::new();
    let hash = fixture
        .chain
        .serve("oracle", &fixture.chain.manifest("oracle"));
    fixture
        .chain
        .register(ACCOUNT, &fixture.chain.uri("oracle"), hash);
    let url = fixture.upstream_url();
    let text = format!(
        "[gate]\noperator = \"{}\"\n[[gate.tool]]\ntool = \"1\"\nupstream = \"{url}\"\n\
         [[gate.tool]]\ntool = \"2\"\nupstream = \"{url}\"\npath = \"/other\"\n",
        ACCOUNTS[2]
    );
    std::fs::write(fixture.chain.atr.path("gate.toml"), text).unwrap();
    let server = fixture.server_args();
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    let (code, error) = refused(
        &fixture,
        &[&["gate", "--config", "gate.toml"][..], &server].concat(),
    );
    assert_eq!(code, 2, "{error}");
    assert!(
        error.contains("two tools have the slug `oracle`"),
        "{error}"
    );
}

#[test]
fn logs_have_no_credentials_or_queries() {
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let gate = fixture.start(&["-vv"]);
    let (name, value) = gate.credential(HOLDER);
    let reply = gate.send(
        "POST /oracle?key=SECRET",
        &[(&name, &value), ("cookie", "SECRET")],
        "{}",
    );
    assert_eq!(reply.status, 200, "{reply:?}");
    let id = reply.header("x-request-id").unwrap().to_owned();
    let (code, log) = gate.stop();
    assert_eq!(code, 0);
    assert!(!log.contains("SECRET") && !log.contains(&value), "{log}");
    // With --json, every line is a JSON object.
    let line = log
        .lines()
        .find(|line| line.contains(&id) && line.contains("\"status\":200"));
    let line: Value = serde_json::from_str(line.unwrap_or_else(|| panic!("{log}"))).unwrap();
    assert_eq!(line["fields"]["path"], "/oracle");
}

#[test]
fn an_address_in_use_is_reported() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let fixture = GateFixture::new();
    let args = fixture.args();
    let in_use = listener.local_addr().unwrap().to_string();
    let args: Vec<_> = args
        .iter()
        .map(|arg| {
            if arg == "127.0.0.1:0" {
                in_use.as_str()
            } else {
                arg
            }
        })
        .collect();
    let (code, error) = refused(&fixture, &args);
    assert_eq!(code, 3);
    assert!(
        error.contains(&format!("cannot listen at {in_use}")),
        "{error}"
    );
}

#[test]
fn other_commands_ignore_the_table_of_the_gate() {
    let atr = Atr::new().with_file("atr.toml", "chain = 8453\n[gate]\nbind = \"127.0.0.1:1\"\n");
    let output = atr.output(&["config", "get", "chain"]);
    assert!(output.status.success(), "{output:?}");
    let atr = Atr::new().with_file("atr.toml", "gate = 1\n");
    assert_eq!(atr.output(&["config", "show"]).status.code(), Some(2));
}
