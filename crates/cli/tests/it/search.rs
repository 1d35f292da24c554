use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Child,
    time::Duration,
};

use atr_loopback::{ACCOUNT, HostileServer, Request, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    atr::{Atr, parse_json, start_server},
    fixture::{Fixture, path},
};

/// A running `atr serve`.
struct Served {
    process: Child,
    url: String,
}

impl Served {
    fn start(fixture: &Fixture, args: &[&str]) -> Self {
        let host = fixture.host();
        let own = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--allow-host",
            &host,
            "--ca-file",
            "ca.pem",
            "--json",
        ];
        let mut command = fixture.atr.command(&[&own, args].concat());
        let (mut process, report) = start_server(&mut command);
        let url = report["url"].as_str().unwrap().to_owned();
        // Otherwise a full pipe stops the process.
        let mut stderr = process.stderr.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { process, url }
    }

    fn stop(mut self) -> i32 {
        let pid = Pid::from_child(&self.process);
        kill_process(pid, Signal::TERM).unwrap();
        self.process.wait().unwrap().code().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Repeats a search until it has this many results.
fn search_until(fixture: &Fixture, args: &[&str], count: usize) -> Value {
    for _ in 0..600 {
        let output = fixture.atr.output(&[&["search", "--json"], args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if report["results"]
            .as_array()
            .is_some_and(|results| results.len() == count)
        {
            return report;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!(
        "{args:?} never had {count} results: {:?}",
        fixture.atr.output(&[&["search"], args].concat())
    );
}

/// The status of a request to `/mcp`.
fn ping(address: &str, host: &str, headers: &str) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut connection = TcpStream::connect(address).unwrap();
    write!(
        connection,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn serves_an_index_and_finds_its_tools() {
    // O-07: search, beside the commands that other tests run (init, hash, validate, register, configure, inspect, update, list, get).
    let mut fixture = Fixture::new();
    fixture.atr = fixture.atr.with_variable("COLUMNS", "80");
    let register = |slug: &str, manifest: &Value| {
        let hash = fixture.serve(slug, manifest);
        fixture.register(ACCOUNT, &fixture.uri(slug), hash)
    };
    let mut weather = fixture.manifest("weather");
    weather["name"] = json!("weather\u{1b}[31m forecast 東京");
    weather["tags"] = json!(["weather"]);
    register("weather", &weather);
    register("changed", &fixture.manifest("changed"));
    fixture.serve("changed", &json!({ "not": "the manifest" }));
    let public = ["--public-url", "https://index.example"];
    let server = Served::start(&fixture, &public);
    let api = ["--api", server.url.as_str()];
    let address = server.url.strip_prefix("http://").unwrap();
    for (host, origin, status) in [
        (address, "", "200"),
        ("index.example", "Origin: https://index.example\r\n", "200"),
        ("index.example", "Origin: https://evil.example\r\n", "403"),
        ("rebound.example", "", "403"),
    ] {
        assert_eq!(ping(address, host, origin), status, "{host} {origin}");
    }

    let found = search_until(&fixture, &[&["wether"], &api[..]].concat(), 1);
    assert_eq!(
        (
            &found["results"][0]["verified"],
            &found["results"][0]["tool"]
        ),
        (&json!(true), &json!(Fixture::tool(1)))
    );
    let all = search_until(&fixture, &[&["--all"], &api[..]].concat(), 2);
    assert_eq!(
        (
            &all["results"][1]["verified"],
            all["results"][1]["status"] != json!("verified")
        ),
        (&json!(false), true)
    );
    // The local database has the same, while the server runs.
    let local = search_until(&fixture, &["weather"], 1);
    assert_eq!(local["results"], found["results"]);

    let table = fixture
        .atr
        .output(&[&["search", "weather"], &api[..]].concat());
    let text = String::from_utf8(table.stdout).unwrap();
    assert_eq!(table.status.code(), Some(0));
    assert!(
        text.lines().take(2).all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(
        !text.contains('\u{1b}') && text.contains("free") && text.contains("open"),
        "{text}"
    );
    assert!(
        text.contains(&format!("atr tool inspect {}", Fixture::tool(1))),
        "{text}"
    );

    let nothing = fixture
        .atr
        .output(&[&["search", "weather", "--tag", "defi", "--json"], &api[..]].concat());
    parse_json(&nothing.stdout, 1);
    for args in [
        &["--max-price", "cheap"][..],
        &["--limit", "201"],
        &["--cursor", "x"],
    ] {
        let output = fixture
            .atr
            .output(&[&["search", "weather"], args, &api[..]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            matches!(output.status.code(), Some(2 | 3)) && error.contains("must be"),
            "{args:?}: {error}"
        );
    }
    assert_eq!(server.stop(), 0);
    // Without the server, the database is still there.
    search_until(&fixture, &["weather"], 1);
    fixture.server.remove(&path("weather"));
}

#[test]
fn explains_what_is_missing() {
    let atr = Atr::new();
    let missing = atr.output(&["search", "weather"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(3));
    assert!(
        error.contains("there is no index at") && error.contains("atr serve"),
        "{error}"
    );
    let unreachable = atr.output(&["search", "weather", "--api", "http://127.0.0.1:1"]);
    assert_eq!(unreachable.status.code(), Some(3));
    let invalid = atr.output(&["search", "--api", "index.example"]);
    assert_eq!(invalid.status.code(), Some(2));
    let no_chain = atr.output(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(no_chain.status.code(), Some(2));
}

#[test]
fn text_of_a_server_cannot_change_the_terminal() {
    let hostile = "\u{1b}]0;x\u{7}\u{202e}\n";
    let trust = json!({
        "tool_ref": hostile, "verified": true, "verification": { "status": "verified" }, "access_type": hostile, "retired": false,
        "duplicates": 0, "duplicates_of": [], "risks": [], "usage_count": 0,
    });
    let mut result = json!({
        "tool_id": "1", "registry_chain": "1", "registry_addr": "0x", "name": hostile, "display_name": hostile, "description": hostile,
        "tags": [hostile], "creator": hostile, "creator_display_name": hostile, "endpoint_domain": hostile, "created_at": hostile,
    });
    result
        .as_object_mut()
        .unwrap()
        .extend(trust.as_object().unwrap().clone());
    let page =
        json!({ "results": [result], "next": hostile, "access_unknown": [hostile] }).to_string();
    let server = HostileServer::over_tcp(move |connection| {
        if Request::read(connection).is_some() {
            let _ = Response::new(200, page.clone())
                .with_header("content-type", "application/json")
                .write(connection);
            connection.close();
        }
    });
    let url = format!("http://{}", server.address());
    for args in [
        &["search", "x"][..],
        &["search", "x", "--all"],
        &["search", "x", "--json"],
    ] {
        let output = Atr::new().output(&[args, &["--api", &url]].concat());
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}
