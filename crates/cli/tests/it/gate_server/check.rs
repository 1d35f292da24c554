use atr_loopback::{ACCOUNT, ACCOUNTS};
use serde_json::{Value, json};

use super::fixture::{GateFixture, HOLDER};

fn check(fixture: &GateFixture, more: &[&str], code: i32) -> Value {
    let args = fixture.args();
    let mut args: Vec<_> = args.iter().map(String::as_str).collect();
    args.insert(1, "check");
    let args = [&args[..], more, &["--json"]].concat();
    let output = fixture.chain.atr.output(&args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    crate::atr::parse_json(&output.stdout, code)
}

/// Name and status of each check.
fn statuses(report: &Value) -> Vec<(&str, &str)> {
    let checks = report["tools"][0]["checks"].as_array().unwrap();
    checks
        .iter()
        .map(|check| {
            (
                check["name"].as_str().unwrap(),
                check["status"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn shows_what_callers_would_see() {
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let report = check(
        &fixture,
        &["--account", ACCOUNTS[HOLDER], "--account", ACCOUNT],
        0,
    );
    let expected = [
        ("upstream", "pass"),
        ("manifest", "pass"),
        ("price", "pass"),
        ("node", "pass"),
    ];
    assert_eq!(statuses(&report), expected);
    let callers = report["tools"][0]["callers"].as_array().unwrap();
    let seen: Vec<_> = callers
        .iter()
        .map(|caller| (caller["status"].clone(), caller["result"].as_str().unwrap()))
        .collect();
    let expected = [
        (json!(402), "payment_required"),
        (json!(403), "access_denied"),
        (Value::Null, "granted"),
        (Value::Null, "denied"),
    ];
    assert_eq!(seen, expected);
    assert_eq!(callers[0]["body"]["accepts"][0]["payTo"], ACCOUNT);
    // The tool was not called.
    let methods: Vec<_> = fixture
        .received()
        .into_iter()
        .map(|request| request.method)
        .collect();
    assert_eq!(methods, ["HEAD"]);
}

#[test]
fn a_failed_check_says_what_to_do() {
    let fixture = GateFixture::new();
    let report = check(&fixture, &["--price", "0.01"], 1);
    assert_eq!(statuses(&report), [("upstream", "pass"), ("price", "fail")]);
    let detail = report["tools"][0]["checks"][1]["detail"].as_str().unwrap();
    assert!(detail.contains("change --price"), "{detail}");

    fixture.chain.server.remove(&crate::fixture::path("oracle"));
    let report = check(&fixture, &[], 1);
    assert_eq!(
        statuses(&report),
        [("upstream", "pass"), ("manifest", "fail")]
    );
}

#[test]
fn an_upstream_server_that_does_not_answer_fails() {
    let fixture = GateFixture::new();
    let args = fixture.args();
    let url = fixture.upstream_url();
    let mut args: Vec<_> = args
        .iter()
        .map(|arg| {
            if *arg == url {
                "http://127.0.0.1:1"
            } else {
                arg
            }
        })
        .collect();
    args.insert(1, "check");
    let output = fixture.chain.atr.output(&args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("upstream      fail"), "{text}");
    assert!(!text.contains('"'), "{text}");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!log.contains("WARN"), "{log}");
    assert!(text.contains("callers see"), "{text}");
}
