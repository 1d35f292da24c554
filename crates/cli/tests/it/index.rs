use alloy_primitives::B256;
use atr_loopback::ACCOUNT;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// Runs a command on the database of the test.
fn atr(fixture: &Fixture, args: &[&str]) -> (i32, String) {
    let output = fixture
        .atr
        .output(&[args, &["--database-url", "index.sqlite"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

fn json(fixture: &Fixture, args: &[&str], code: i32) -> Value {
    let (found, text) = atr(fixture, &[args, &["--json"]].concat());
    assert_eq!(found, code, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// Changes the database behind the back of the index.
fn tamper(fixture: &Fixture, statement: &'static str) {
    let path = fixture.atr.path("index.sqlite");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let pool = sqlx::SqlitePool::connect(path.to_str().unwrap())
            .await
            .unwrap();
        sqlx::query(statement).execute(&pool).await.unwrap();
        pool.close().await;
    });
}

#[test]
fn rebuild_finds_and_corrects_a_tampered_database() {
    let fixture = Fixture::new();
    for command in [&["index", "status"][..], &["index", "rebuild"]] {
        let (code, text) = atr(&fixture, command);
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("index.sqlite"), "{text}");
        assert!(!fixture.atr.path("index.sqlite").exists());
    }
    for id in 1..=2 {
        let uri = fixture.uri(&format!("tool{id}"));
        fixture.register(ACCOUNT, &uri, B256::repeat_byte(id));
    }
    let (code, text) = atr(&fixture, &["index", "--no-verify"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2 not verified yet"), "{text}");
    let status = json(&fixture, &["index", "status"], 0);
    assert_eq!(status["registries"][0]["tools"], 2, "{status}");
    assert_eq!(status["registries"][0]["status"], "following", "{status}");
    assert_eq!(status["verification"]["pending"], 2, "{status}");
    let (code, text) = atr(&fixture, &["index", "rebuild", "--check"]);
    assert_eq!(
        (code, text.as_str()),
        (0, "2 tools from 2 events: no differences\n")
    );

    tamper(
        &fixture,
        "UPDATE tools SET updates = 7 WHERE tool_id = (SELECT max(tool_id) FROM tools)",
    );
    let (code, text) = atr(&fixture, &["index", "rebuild", "--check"]);
    let difference = format!("  {}: updates: stored 7, computed 0\n", Fixture::tool(2));
    let expected = format!("2 tools from 2 events: 1 differ\n{difference}");
    assert_eq!((code, text), (1, expected.clone()));
    // A check changes nothing.
    assert_eq!(
        atr(&fixture, &["index", "rebuild", "--check"]),
        (1, expected)
    );
    let report = json(&fixture, &["index", "rebuild"], 0);
    assert_eq!(
        (
            &report["differing"],
            &report["corrected"],
            &report["outcome"]
        ),
        (&json!(1), &json!(true), &json!("success"))
    );
    assert_eq!(report["differences"][0]["tool"], Fixture::tool(2));
    assert_eq!(
        json(&fixture, &["index", "rebuild", "--check"], 0)["differing"],
        0
    );
}

#[test]
fn status_fails_with_the_reason_while_a_registry_is_halted() {
    // K-04
    let fixture = Fixture::new();
    fixture.register(ACCOUNT, &fixture.uri("a"), B256::repeat_byte(1));
    assert_eq!(atr(&fixture, &["index", "--no-verify"]).0, 0);
    let registry = Fixture::registry();
    let code = fixture
        .anvil
        .request("eth_getCode", json!([registry, "latest"]));
    let swapped = format!("{}00", code.as_str().unwrap());
    fixture
        .anvil
        .request("anvil_setCode", json!([registry, swapped]));
    fixture.anvil.request("anvil_mine", json!([1]));
    let (code, text) = atr(&fixture, &["index", "--no-verify"]);
    assert_eq!(code, 1, "{text}");
    let (code, text) = atr(&fixture, &["index", "status"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("halted") && text.contains("pinned"), "{text}");
    let status = json(&fixture, &["index", "status"], 1);
    assert_eq!(status["registries"][0]["status"], "halted", "{status}");
    // What was indexed before is still right.
    assert_eq!(
        json(&fixture, &["index", "rebuild", "--check"], 0)["tools"],
        1
    );
}
