use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

use atr_loopback::{Answer, Authority, DnsAnswer, HostileServer, HttpsServer, NameServer};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::atr::Atr;

const FULL: &str = include_str!("../../../../tests/vectors/manifest/full.json");

/// What the manifest of a tool that is live today gets wrong, and no more.
fn wild() -> String {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "wild-tool",
        "description": "d".repeat(569),
        "endpoint": "https://tools.example.com/wild",
        "inputs": {},
        "outputs": {},
        "creatorAddress": "0xabcdef0123456789abcdef0123456789abcdef01",
        "pricing": [],
        "verifiability": {"tier": "self-attested", "execution": "serverless"}
    })
    .to_string()
}

/// The ERC's free example and the hash it prints.
fn erc_example() -> (String, String) {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../tests/vectors/manifests.json")).unwrap();
    let row = &vectors["erc"][0];
    (
        row["manifest"].to_string(),
        row["keccak256"].as_str().unwrap().to_owned(),
    )
}

fn with_input(atr: &Atr, args: &[&str], input: &[u8]) -> Output {
    let mut child = atr
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader may have enough before the end.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn a_valid_manifest_is_yes_with_its_hash() {
    let atr = Atr::new().with_file("m.json", FULL);
    assert_snapshot!(atr.transcript(&["manifest", "validate", "m.json"]));
    assert_snapshot!(atr.transcript(&[
        "manifest", "validate", "--as", "consumer", "--json", "m.json"
    ]));
}

#[test]
fn a_manifest_from_the_wild_is_told_all_its_faults_in_one_go() {
    let atr = Atr::new().with_file("wild.json", wild());
    assert_snapshot!(
        "wild_as_producer",
        atr.transcript(&["manifest", "validate", "wild.json"])
    );
    assert_snapshot!(
        "wild_as_consumer",
        atr.transcript(&["manifest", "validate", "--as", "consumer", "wild.json"])
    );
    assert_snapshot!(
        "wild_json",
        atr.transcript(&["manifest", "validate", "--json", "wild.json"])
    );
}

#[test]
fn following_every_fix_makes_it_valid() {
    let mut manifest: Value = serde_json::from_str(&wild()).unwrap();
    let text = "d".repeat(569);
    manifest["description"] = json!(text[..569 - 69]);
    manifest.as_object_mut().unwrap().remove("pricing");
    manifest["verifiability"]["execution"] = json!("standard");
    let atr = Atr::new().with_file("m.json", manifest.to_string());
    assert_eq!(
        atr.output(&["manifest", "lint", "m.json"]).status.code(),
        Some(0)
    );
}

#[test]
fn one_of_everything_that_can_be_wrong() {
    let manifest = json!({
        "type": "tool-manifest-v0",
        "name": "a\tb",
        "description": "",
        "endpoint": "HTTPS://Tools.Example.com:443/x",
        "inputs": [],
        "outputs": {"$ref": "https://schemas.example/x.json"},
        "creatorAddress": "0xABCDEF0123456789ABCDEF0123456789ABCDEF01",
        "version": "v2",
        "image": "javascript:alert(1)",
        "tags": ["NFT tools", "nft", "nft"],
        "pricing": [{"amount": "0.02", "asset": "usdc", "recipient": "eip155:8453:0x0000000000000000000000000000000000000000"}],
        "access": {"logic": "all", "requirements": [{"kind": "0x1", "data": "0x0", "label": "x".repeat(257), "links": {"buy": "http://a.example"}}]},
        "verifiability": {"tier": "gold", "execution": "tee", "attestation": {"enclaveHash": "0x"}},
        "maxAge": -1,
        "Endpoint": "https://b.example",
        "note": "cafe\u{301}"
    });
    let atr = Atr::new().with_file("m.json", manifest.to_string());
    assert_snapshot!(atr.transcript(&["manifest", "validate", "m.json"]));
}

#[test]
fn bytes_that_are_no_document_are_refused_with_the_place() {
    let atr = Atr::new()
        .with_file("comma.json", "{\n  \"name\": \"x\",\n}")
        .with_file("bom.json", b"\xef\xbb\xbf{}")
        .with_file(
            "twice.json",
            r#"{"endpoint": "https://a.example", "endpoint": "https://b.example"}"#,
        );
    assert_snapshot!(
        "not_json",
        atr.transcript(&["manifest", "validate", "comma.json"])
    );
    assert_snapshot!(
        "byte_order_mark",
        atr.transcript(&["manifest", "validate", "bom.json"])
    );
    assert_snapshot!(
        "duplicate_name",
        atr.transcript(&["manifest", "validate", "twice.json"])
    );
}

#[test]
fn standard_input_is_read_and_only_as_much_as_a_manifest_may_have() {
    let atr = Atr::new();
    let output = with_input(&atr, &["manifest", "validate", "-"], FULL.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let endless = vec![b' '; 4 << 20];
    let output = with_input(&atr, &["manifest", "validate", "--json", "-"], &endless);
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &verdict["violations"][0]["code"]),
        (Some(1), &json!("too-large"))
    );
}

#[test]
fn what_cannot_be_read_is_could_not_find_out() {
    for command in ["validate", "lint", "canonicalize", "hash"] {
        let transcript = Atr::new().transcript(&["manifest", command, "gone.json"]);
        assert!(
            transcript.starts_with("exit code: 3\n--- stdout ---\n--- stderr ---\n"),
            "{transcript}"
        );
    }
    assert_snapshot!(Atr::new().transcript(&["manifest", "validate", "gone.json"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: gone.json: cannot read the manifest
      because: No such file or directory (os error 2)
    ");
}

/// A server on this machine, and the flags that let `atr` ask it.
struct Site {
    server: HttpsServer,
    atr: Atr,
    host: String,
}

impl Site {
    fn new() -> Self {
        let authority = Authority::new();
        let server = HttpsServer::start(&authority.issue(&["localhost"]));
        server.put("/x.json", FULL);
        Self {
            host: format!("localhost:{}", server.address().port()),
            atr: Atr::new().with_file("ca.pem", authority.pem()),
            server,
        }
    }

    /// What `atr manifest <command>` says about the server's manifest, with the port taken out.
    fn transcript(&self, command: &str, more: &[&str]) -> String {
        let url = format!("https://{}/x.json", self.host);
        let args = [&["manifest", command, &url], more].concat();
        let transcript = self.atr.transcript(&args);
        transcript.replace(&self.host, "localhost:PORT")
    }

    fn excepted(&self, command: &str) -> String {
        let flags = ["--allow-host", &self.host, "--ca-file", "ca.pem"];
        self.transcript(command, &flags)
    }
}

#[test]
fn a_url_is_read_like_a_file() {
    let site = Site::new();
    assert_snapshot!(site.excepted("validate"));
    let atr = Atr::new().with_file("m.json", FULL);
    for (nth, command) in ["lint", "canonicalize", "hash"].iter().enumerate() {
        let of_file = atr.transcript(&["manifest", command, "m.json"]);
        let (of_file, _) = of_file.split_once("--- stderr").unwrap();
        let of_url = site.excepted(command);
        let (of_url, warning) = of_url.split_once("--- stderr").unwrap();
        assert_eq!(
            of_url.replace("https://localhost:PORT/x.json", "m.json"),
            of_file
        );
        assert!(
            warning.contains("these hosts may lead anywhere"),
            "{warning}"
        );
        assert_eq!(site.server.count("/x.json"), nth + 2);
    }
}

#[test]
fn this_machine_is_not_read_without_being_allowed() {
    // J-03
    let site = Site::new();
    assert_snapshot!(site.transcript("validate", &[]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://localhost:PORT/x.json: cannot read the manifest
      because: localhost:PORT leads to 127.0.0.1, which is loopback; only public addresses are asked
    ");
    for command in ["lint", "canonicalize", "hash"] {
        let transcript = site.transcript(command, &["--allow-host", "localhost:1"]);
        assert!(
            transcript.starts_with("exit code: 3\n--- stdout ---\n--- stderr"),
            "{transcript}"
        );
    }
    assert_eq!(site.server.requests().len(), 0);
}

#[test]
fn whatever_keeps_a_manifest_from_being_read_is_could_not_read() {
    let site = Site::new();
    for (answer, reason) in [
        (Answer::new(404, ""), "the answer has status 404"),
        (Answer::new(503, ""), "the answer has status 503"),
        (
            Answer::new(302, "").with_header("location", "/y.json"),
            "the answer is a redirect (302 to `/y.json`); none is followed",
        ),
        (
            Answer::new(200, vec![b' '; (1 << 20) + 1]),
            "at most 1048576 are read",
        ),
    ] {
        site.server.route("/x.json", move |_| answer.clone());
        let transcript = site.excepted("validate");
        assert!(
            transcript.starts_with("exit code: 3\n--- stdout ---\n--- stderr"),
            "{transcript}"
        );
        assert!(transcript.contains(reason), "{transcript}");
    }
    assert_eq!(site.server.count("/y.json"), 0);
}

#[test]
fn a_url_is_read_past_every_proxy_the_environment_names() {
    let proxy = HostileServer::over_tcp(|wire| wire.hold());
    let mut site = Site::new();
    let address = format!("http://{}", proxy.address());
    for name in [
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ] {
        site.atr = site.atr.with_variable(name, &address);
    }
    assert!(site.excepted("hash").starts_with("exit code: 0\n"));
    assert!(site.transcript("hash", &[]).starts_with("exit code: 3\n"));
    assert_eq!((site.server.count("/x.json"), proxy.connections()), (1, 0));
}

#[test]
fn names_are_looked_up_where_the_environment_says() {
    let names = NameServer::start();
    names.script(
        "tools.example.com",
        [DnsAnswer::of(&["8.8.8.8", "10.0.0.1"])],
    );
    let atr = Atr::new().with_variable("ATR_NAME_SERVER", names.address().to_string());
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://tools.example.com/x.json"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://tools.example.com/x.json: cannot read the manifest
      because: tools.example.com leads to 10.0.0.1, which is private (RFC 1918); only public addresses are asked
    ");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://gone.example.com/x.json"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://gone.example.com/x.json: cannot read the manifest
      because: gone.example.com has no address: there is no such name, or it has neither A nor AAAA records
    ");
    assert_eq!(names.questions_a("tools.example.com"), 1);
    let atr = Atr::new().with_variable("ATR_NAME_SERVER", "dns.example");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://tools.example.com/x.json"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: environment variable ATR_NAME_SERVER: `dns.example` is not an address and a port such as 127.0.0.1:53
    ");
}

#[test]
fn a_url_that_is_none_and_exceptions_that_are_none_are_misuse() {
    let atr = Atr::new().with_file("ca.pem", "nothing");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "http://a.example/x.json"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: http://a.example/x.json: not a URL to read a manifest from
      because: the scheme is `http`, not https
    ");
    let url = "https://localhost:1/x.json";
    let allowed = ["manifest", "hash", url, "--allow-host", "localhost:1"];
    assert_snapshot!(atr.transcript(&[&allowed[..], &["--ca-file", "ca.pem"]].concat()), @r#"
    exit code: 2
    --- stdout ---
    --- stderr ---
     WARN atr_cli::guard: these hosts may lead anywhere, this machine and private networks included hosts="localhost:1"
    error: ca.pem: no root certificates to trust (--ca-file)
      because: the additional root certificates cannot be read; PEM with at least one is needed
    "#);
    for args in [
        &["--allow-host", "localhost"][..],
        &["--allow-host", "https://localhost:1"],
        &["--ca-file", "ca.pem"],
        &["--allow-host", "localhost:1", "--ca-file", "gone.pem"],
    ] {
        let output = atr.output(&[&["manifest", "hash", url], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn lint_does_not_forgive_what_validate_warns_about() {
    let manifest = FULL.replace("\"1.2.3-rc.1+build.5\"", "\"v2\"");
    let atr = Atr::new()
        .with_file("m.json", manifest)
        .with_file("full.json", FULL);
    assert_eq!(
        atr.output(&["manifest", "validate", "m.json"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(
        atr.output(&["manifest", "lint", "full.json"]).status.code(),
        Some(0)
    );
    assert_snapshot!(atr.transcript(&["manifest", "lint", "m.json"]));
}

#[test]
fn lint_knows_the_normal_form_of_an_endpoint() {
    // E-06
    let manifest = FULL.replace(
        "https://tools.example.com:8443/premium",
        "HTTPS://Tools.example.com:443/premium",
    );
    let atr = Atr::new().with_file("m.json", manifest);
    let report = atr.transcript(&["manifest", "lint", "m.json"]);
    assert!(report.starts_with("exit code: 1\n"), "{report}");
    assert!(
        report.contains("fix      write \"https://tools.example.com/premium-analytics?v=1#top\""),
        "{report}"
    );
}

#[test]
fn the_canonical_form_is_printed_to_the_byte() {
    // F-01
    let (manifest, hash) = erc_example();
    let atr = Atr::new().with_file("m.json", &manifest);
    let form = atr.output(&["manifest", "canonicalize", "m.json"]).stdout;
    assert_eq!(form.len(), 632);
    assert!(form.starts_with(b"{\"creatorAddress\"") && form.ends_with(b"\"1.0.0\"}"));
    let again = with_input(&atr, &["manifest", "canonicalize", "-"], &form).stdout;
    assert_eq!(again, form);
    assert_eq!(
        atr.output(&["manifest", "hash", "m.json"]).stdout,
        format!("{hash}\n").as_bytes()
    );
    let json: Value = serde_json::from_slice(
        &atr.output(&["manifest", "canonicalize", "--json", "m.json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(
        json,
        json!({"canonical": String::from_utf8(form).unwrap(), "bytes": 632, "hash": hash})
    );
}

#[test]
fn texts_that_are_not_nfc_have_no_hash_until_their_publisher_normalizes_them() {
    // F-02
    let atr = Atr::new().with_file(
        "nfd.json",
        FULL.replace("premium-analytics\",", "cafe\u{301}\","),
    );
    assert_snapshot!(atr.transcript(&["manifest", "hash", "nfd.json"]));
    assert_eq!(
        atr.output(&["manifest", "canonicalize", "nfd.json"]).stdout,
        b""
    );
    let form = atr
        .output(&["manifest", "canonicalize", "--nfc", "nfd.json"])
        .stdout;
    assert!(String::from_utf8_lossy(&form).contains("\"name\":\"café\""));
    assert_eq!(
        with_input(&atr, &["manifest", "hash", "-"], &form)
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn hex_in_upper_case_has_no_hash_and_is_never_folded() {
    // F-08
    let upper = FULL.replace(
        "\"0xabcdef0123456789abcdef0123456789abcdef01\"",
        "\"0xABCDEF0123456789abcdef0123456789abcdef01\"",
    );
    let atr = Atr::new().with_file("m.json", upper);
    for command in ["hash", "canonicalize"] {
        let output = atr.output(&["manifest", command, "--json", "m.json"]);
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(1), 0),
            "{command}"
        );
        let verdict: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(verdict["violations"][0]["code"], "hex-case", "{command}");
        assert_eq!(verdict["hash"], Value::Null, "{command}");
    }
}

#[test]
fn a_hash_of_what_consumers_refuse_comes_with_a_warning() {
    let atr = Atr::new().with_file("wild.json", wild());
    let output = atr.output(&["manifest", "hash", "wild.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"0x"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("consumers refuse this manifest"));
}

const ANSWERS: [&str; 8] = [
    "--name",
    "Word Counter",
    "--description",
    "Counts words.",
    "--endpoint",
    "HTTPS://Bücher.example:443/count",
    "--creator-address",
    "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
];

#[test]
fn init_writes_a_manifest_that_lint_has_nothing_to_say_about() {
    // G-03
    let atr = Atr::new();
    let args = [&["manifest", "init", "--tag", "ai"], ANSWERS.as_slice()].concat();
    assert_snapshot!(atr.transcript(&args));
    let text = fs::read_to_string(atr.path("word-counter.json")).unwrap();
    assert_snapshot!("init_file", text);
    assert_eq!(
        atr.output(&["manifest", "lint", "word-counter.json"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(fs::read_dir(atr.path("")).unwrap().count(), 1);
}

#[test]
fn init_never_overwrites() {
    let atr = Atr::new().with_file("word-counter.json", "mine");
    let args = [&["manifest", "init"], ANSWERS.as_slice()].concat();
    assert_snapshot!(atr.transcript(&args), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: word-counter.json: the file is there already; name another with --output, or move it away
    ");
    assert_eq!(
        fs::read_to_string(atr.path("word-counter.json")).unwrap(),
        "mine"
    );
    let elsewhere = [&args[..], &["--output", "other.json", "--json"]].concat();
    assert_snapshot!(atr.transcript(&elsewhere));
    assert_eq!(fs::read_dir(atr.path("")).unwrap().count(), 2);
}

#[test]
fn init_tells_all_that_is_missing_at_once() {
    assert_snapshot!(Atr::new().transcript(&["manifest", "init", "--name", "x"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: --description, --endpoint, --creator-address must be given when nobody can be asked (or --interactive, to answer on standard input)
    ");
}

#[test]
fn init_refuses_what_would_be_refused_later_and_writes_nothing() {
    for (flag, value, code) in [
        ("--endpoint", "http://a.example", 2),
        (
            "--creator-address",
            "0x7E5F4552091A69125d5DfCb7b8C2659029395BdF",
            2,
        ),
        (
            "--creator-address",
            "0x0000000000000000000000000000000000000000",
            2,
        ),
        ("--slug", "Word_Counter", 2),
        ("--tag", "Not A Tag", 1),
        ("--description", "", 1),
    ] {
        let atr = Atr::new();
        let mut args = [&["manifest", "init"], ANSWERS.as_slice()].concat();
        if let Some(at) = args.iter().position(|argument| *argument == flag) {
            args[at + 1] = value;
        } else {
            args.extend([flag, value]);
        }
        let output = atr.output(&args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{flag}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(fs::read_dir(atr.path("")).unwrap().count(), 0, "{flag}");
    }
}

#[test]
fn init_asks_again_until_an_answer_can_be_used() {
    let atr = Atr::new();
    let answers = "Word Counter\nCounts words.\nnot a url\nhttps://a.example/count\n0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\n";
    let output = with_input(
        &atr,
        &["manifest", "init", "--interactive"],
        answers.as_bytes(),
    );
    assert_snapshot!(atr.transcript_of(&output));
    let output = with_input(
        &atr,
        &["manifest", "init", "--interactive", "-o", "x.json"],
        b"Word Counter\n",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(!atr.path("x.json").exists());
}
