use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

use atr_loopback::{
    CertificateAuthority, DnsResponse, DnsServer, HostileServer, HttpsServer, Response,
};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::atr::{Atr, parse_json};

const FULL: &str = include_str!("../../../../tests/vectors/manifest/full.json");

/// A manifest with the violations of a real tool.
fn invalid_manifest() -> String {
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

/// The example of a free tool in the ERC, and its hash.
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
    // The reader stops at the maximum size.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn accepts_a_valid_manifest() {
    let atr = Atr::new().with_file("m.json", FULL);
    assert_snapshot!(atr.transcript(&["manifest", "validate", "m.json"]));
    assert_snapshot!(atr.transcript(&[
        "manifest", "validate", "--as", "consumer", "--json", "m.json"
    ]));
}

#[test]
fn reports_all_violations_of_a_real_manifest() {
    let atr = Atr::new().with_file("invalid.json", invalid_manifest());
    assert_snapshot!(
        "invalid_as_producer",
        atr.transcript(&["manifest", "validate", "invalid.json"])
    );
    assert_snapshot!(
        "invalid_as_consumer",
        atr.transcript(&["manifest", "validate", "--as", "consumer", "invalid.json"])
    );
    assert_snapshot!(
        "invalid_json",
        atr.transcript(&["manifest", "validate", "--json", "invalid.json"])
    );
}

#[test]
fn applying_all_fixes_makes_it_valid() {
    let mut manifest: Value = serde_json::from_str(&invalid_manifest()).unwrap();
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
fn reports_one_violation_of_each_rule() {
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
fn rejects_invalid_documents_with_their_location() {
    let atr = Atr::new()
        .with_file("trailing_comma.json", "{\n  \"name\": \"x\",\n}")
        .with_file("bom.json", b"\xef\xbb\xbf{}")
        .with_file(
            "duplicate.json",
            r#"{"endpoint": "https://a.example", "endpoint": "https://b.example"}"#,
        );
    assert_snapshot!(
        "not_json",
        atr.transcript(&["manifest", "validate", "trailing_comma.json"])
    );
    assert_snapshot!("bom", atr.transcript(&["manifest", "validate", "bom.json"]));
    assert_snapshot!(
        "duplicate_name",
        atr.transcript(&["manifest", "validate", "duplicate.json"])
    );
}

#[test]
fn reads_standard_input_up_to_the_maximum_size() {
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
fn a_manifest_file_that_cannot_be_read_is_a_usage_error() {
    for command in ["validate", "lint", "canonicalize", "hash"] {
        let transcript = Atr::new().transcript(&["manifest", command, "missing.json"]);
        assert!(
            transcript.starts_with("exit code: 2\n--- stdout ---\n--- stderr ---\n"),
            "{transcript}"
        );
    }
    assert_snapshot!(Atr::new().transcript(&["manifest", "validate", "missing.json"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: missing.json: cannot read the manifest
      caused by: No such file or directory (os error 2)
    ");
}

/// An HTTPS server on loopback with a manifest.
/// Path of the site's manifest.
const MANIFEST: &str = "/.well-known/ai-tool/x.json";

struct Site {
    server: HttpsServer,
    /// The served manifest. Its endpoint is on the server.
    manifest: String,
    atr: Atr,
    host: String,
}

impl Site {
    fn new() -> Self {
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&["localhost"]));
        let manifest = FULL.replace("https://tools.example.com:8443", &server.origin());
        server.put(MANIFEST, manifest.clone());
        Self {
            manifest,
            host: format!("localhost:{}", server.address().port()),
            atr: Atr::new().with_file("ca.pem", authority.pem()),
            server,
        }
    }

    /// Transcript of `atr manifest <command>` for the server's manifest.
    fn transcript(&self, command: &str, more: &[&str]) -> String {
        let url = format!("https://{}{MANIFEST}", self.host);
        let args = [&["manifest", command, &url], more].concat();
        let transcript = self.atr.transcript(&args);
        transcript.replace(&self.host, "localhost:PORT")
    }

    fn allowed_transcript(&self, command: &str) -> String {
        let flags = ["--allow-host", &self.host, "--ca-file", "ca.pem"];
        self.transcript(command, &flags)
    }
}

#[test]
fn reads_a_url_like_a_file() {
    let site = Site::new();
    let atr = Atr::new().with_file("m.json", &site.manifest);
    let commands = ["validate", "lint", "canonicalize", "hash"];
    for (nth, command) in commands.iter().enumerate() {
        let of_file = atr.transcript(&["manifest", command, "m.json"]);
        let of_file = of_file.replace(&site.host, "localhost:PORT");
        let (of_file, _) = of_file.split_once("--- stderr").unwrap();
        assert!(of_file.starts_with("exit code: 0"), "{of_file}");
        let of_url = site.allowed_transcript(command);
        let (of_url, warning) = of_url.split_once("--- stderr").unwrap();
        let url = format!("https://localhost:PORT{MANIFEST}");
        assert_eq!(of_url.replace(&url, "m.json"), of_file);
        assert!(
            warning.contains("private and loopback addresses are allowed"),
            "{warning}"
        );
        assert_eq!(site.server.count(MANIFEST), nth + 1);
    }
}

#[test]
fn compares_the_origin_of_a_url_with_the_endpoint() {
    // G-08, G-10
    let site = Site::new();
    site.server.put(MANIFEST, FULL);
    assert_snapshot!("other_origin", site.allowed_transcript("validate"));
    site.server.put("/x.json", site.manifest.clone());
    let url = format!("https://{}/x.json", site.host);
    let flags = ["--allow-host", &site.host, "--ca-file", "ca.pem", "--json"];
    let output = site
        .atr
        .output(&[&["manifest", "validate", &url], &flags[..]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["valid"], output.status.code()),
        (&json!(true), Some(0))
    );
    assert_eq!(report["warnings"][0]["code"], "metadata-uri");
}

#[test]
fn compiles_inputs_and_outputs() {
    // E-07, I-13
    let mut manifest: Value = serde_json::from_str(FULL).unwrap();
    manifest["inputs"] = json!({"type": "object", "properties": {"a": {"type": "sting"}}});
    manifest["outputs"] = json!({"properties": {"b": {"pattern": "(?=x)y"}}});
    let text = serde_json::to_string_pretty(&manifest).unwrap();
    let atr = Atr::new().with_file("m.json", text);
    assert_snapshot!(
        "bad_schema",
        atr.transcript(&["manifest", "validate", "m.json"])
    );
    let args = [
        "manifest", "validate", "--as", "consumer", "--json", "m.json",
    ];
    let output = atr.output(&args);
    assert_eq!(output.status.code(), Some(0), "a warning for consumers");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let codes: Vec<_> = warnings.iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, ["bad-schema", "unsupported-schema"]);
    // A reference to another document and a schema that is too deep are reported once, by the manifest rules.
    for schema in [json!({"$ref": "https://a.example/x"}), nested(17)] {
        manifest["inputs"] = schema;
        manifest["outputs"] = json!({});
        let atr = Atr::new().with_file("m.json", manifest.to_string());
        let output = atr.output(&["manifest", "validate", "--json", "m.json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings =
            ["violations", "warnings"].map(|list| report[list].as_array().unwrap().len());
        assert_eq!(findings.iter().sum::<usize>(), 1, "{report}");
    }
}

/// A schema with this many levels.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({}), |inner, _| json!({"items": inner}))
}

#[test]
fn findings_have_line_and_column_and_suggest_names() {
    let text = FULL.replacen("\"description\": \"Adv", "\"desciption\": \"Adv", 1);
    let atr = Atr::new().with_file("m.json", text);
    assert_snapshot!(
        "misspelled",
        atr.transcript(&["manifest", "validate", "m.json"])
    );
    let output = atr.output(&["manifest", "validate", "--json", "m.json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let position = |finding: &Value| (finding["line"].as_u64(), finding["column"].as_u64());
    assert_eq!(
        position(&report["violations"][0]),
        (Some(1), Some(1)),
        "a missing member"
    );
    assert_eq!(position(&report["warnings"][0]), (Some(4), Some(17)));
    let atr = atr.with_file("bom.json", "\u{feff}{}");
    let output = atr.output(&["manifest", "validate", "--json", "bom.json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(position(&report["violations"][0]), (None, None));
}

#[test]
fn does_not_connect_to_loopback_unless_allowed() {
    // J-03
    let site = Site::new();
    assert_snapshot!(site.transcript("validate", &[]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://localhost:PORT/.well-known/ai-tool/x.json: cannot fetch the manifest
      caused by: localhost:PORT resolves to 127.0.0.1, which is not public: loopback
      hint: if the host is yours, allow it with --allow-host localhost:PORT or ATR_ALLOW_HOST
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
fn exits_with_3_on_http_errors() {
    let site = Site::new();
    for (response, reason) in [
        (Response::new(404, ""), "the response has status 404"),
        (Response::new(503, ""), "the response has status 503"),
        (
            Response::new(302, "").with_header("location", "/y.json"),
            "the response is a redirect (302 to `/y.json`); redirects are not followed",
        ),
        (
            Response::new(200, vec![b' '; (1 << 20) + 1]),
            "the limit is 1048576 bytes",
        ),
    ] {
        site.server.route(MANIFEST, move |_| response.clone());
        let transcript = site.allowed_transcript("validate");
        assert!(
            transcript.starts_with("exit code: 3\n--- stdout ---\n--- stderr"),
            "{transcript}"
        );
        assert!(transcript.contains(reason), "{transcript}");
    }
    assert_eq!(site.server.count("/y.json"), 0);
}

#[test]
fn ignores_proxy_variables() {
    let proxy = HostileServer::over_tcp(|connection| connection.wait_for_close());
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
    assert!(
        site.allowed_transcript("hash")
            .starts_with("exit code: 0\n")
    );
    assert!(site.transcript("hash", &[]).starts_with("exit code: 3\n"));
    assert_eq!((site.server.count(MANIFEST), proxy.connections()), (1, 0));
}

#[test]
fn resolves_names_at_the_configured_dns_server() {
    let names = DnsServer::start();
    names.script(
        "tools.example.com",
        [DnsResponse::addresses(&["8.8.8.8", "10.0.0.1"])],
    );
    let atr = Atr::new().with_variable("ATR_NAME_SERVER", names.address().to_string());
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://tools.example.com/x.json"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://tools.example.com/x.json: cannot fetch the manifest
      caused by: tools.example.com resolves to 10.0.0.1, which is not public: private (RFC 1918)
      hint: if the host is yours, allow it with --allow-host tools.example.com:443 or ATR_ALLOW_HOST
    ");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://gone.example.com/x.json"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: https://gone.example.com/x.json: cannot fetch the manifest
      caused by: gone.example.com does not resolve: the name does not exist or has no A or AAAA records
    ");
    assert_eq!(names.a_queries("tools.example.com"), 1);
    let atr = Atr::new().with_variable("ATR_NAME_SERVER", "dns.example");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "https://tools.example.com/x.json"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: environment variable ATR_NAME_SERVER: `dns.example` is not an IP address and port such as 127.0.0.1:53
    ");
}

#[test]
fn rejects_invalid_urls_and_fetch_options() {
    let atr = Atr::new().with_file("ca.pem", "nothing");
    assert_snapshot!(atr.transcript(&["manifest", "hash", "http://a.example/x.json"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: http://a.example/x.json: invalid manifest URL
      caused by: the scheme is `http`; use https://
    ");
    let url = "https://localhost:1/x.json";
    let allowed = ["manifest", "hash", url, "--allow-host", "localhost:1"];
    assert_snapshot!(atr.transcript(&[&allowed[..], &["--ca-file", "ca.pem"]].concat()), @r#"
    exit code: 2
    --- stdout ---
    --- stderr ---
    warning: private and loopback addresses are allowed for localhost:1
    error: ca.pem: cannot load root certificates (--ca-file)
      caused by: cannot read the additional root certificates; expected PEM with at least one certificate
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
fn lint_fails_on_warnings() {
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
fn lint_suggests_the_normalized_endpoint() {
    // E-06
    let manifest = FULL.replace(
        "https://tools.example.com:8443/premium",
        "HTTPS://Tools.example.com:443/premium",
    );
    let atr = Atr::new().with_file("m.json", manifest);
    let report = atr.transcript(&["manifest", "lint", "m.json"]);
    assert!(report.starts_with("exit code: 1\n"), "{report}");
    assert!(
        report.contains("fix      use \"https://tools.example.com/premium-analytics?v=1#top\""),
        "{report}"
    );
}

#[test]
fn prints_the_exact_canonical_form() {
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
        json!({
            "outcome": "success",
            "canonical": String::from_utf8(form).unwrap(),
            "bytes": 632,
            "hash": hash,
        })
    );
}

#[test]
fn strings_not_in_nfc_have_no_hash_until_normalized() {
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
fn upper_case_hex_has_no_hash() {
    // F-08
    let upper = FULL.replace(
        "\"0xabcdef0123456789abcdef0123456789abcdef01\"",
        "\"0xABCDEF0123456789abcdef0123456789abcdef01\"",
    );
    let atr = Atr::new().with_file("m.json", upper);
    for command in ["hash", "canonicalize"] {
        let output = atr.output(&["manifest", command, "--json", "m.json"]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let verdict = parse_json(&output.stdout, 1);
        assert_eq!(
            verdict["error"]["message"], "the document has no canonical form",
            "{command}"
        );
        assert_eq!(verdict["violations"][0]["code"], "hex-case", "{command}");
        assert_eq!(verdict["hash"], Value::Null, "{command}");
    }
}

#[test]
fn hash_warns_about_violations() {
    let atr = Atr::new().with_file("invalid.json", invalid_manifest());
    let output = atr.output(&["manifest", "hash", "invalid.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"0x"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("consumers reject this manifest"));
}

const ANSWERS: [&str; 8] = [
    "--name",
    "Word Counter",
    "--description",
    "Counts message.",
    "--endpoint",
    "HTTPS://Bücher.example:443/count",
    "--creator-address",
    "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
];

#[test]
fn init_writes_a_manifest_without_findings() {
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
fn init_adds_a_price() {
    let atr = Atr::new();
    let args = [&["manifest", "init", "--price", "0.01"], ANSWERS.as_slice()].concat();
    let with = |more: &[&str]| atr.transcript(&[&args[..], more].concat());
    let written = with(&["--chain", "base"]);
    assert!(written.starts_with("exit code: 0\n"), "{written}");
    let text = fs::read_to_string(atr.path("word-counter.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let creator = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
    let price = json!({
        "amount": "10000",
        "asset": "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "recipient": format!("eip155:8453:{creator}"),
        "protocol": "x402",
    });
    assert_eq!(manifest["pricing"], json!([price]));
    let recipient = "0x1111111111111111111111111111111111111111";
    let other = ["--chain", "1", "--recipient", recipient, "-o", "other.json"];
    let written = with(&other);
    assert!(written.starts_with("exit code: 0\n"), "{written}");
    let text = fs::read_to_string(atr.path("other.json")).unwrap();
    assert!(text.contains(&format!("eip155:1:{recipient}")), "{text}");
    // Never overwritten, so the error is about the price.
    for (more, message) in [
        (&[][..], "the chain of payments is not known; use --chain"),
        (&["--chain", "anvil"], "no USDC is known on anvil"),
    ] {
        let rejected = with(more);
        assert!(
            rejected.starts_with("exit code: 2\n") && rejected.contains(message),
            "{rejected}"
        );
    }
    for (price, message) in [("0", "a free tool has no price"), ("x", "amount of tokens")] {
        let mut args = args.clone();
        args[3] = price;
        let rejected = atr.transcript(&[&args[..], &["--chain", "base"]].concat());
        assert!(
            rejected.starts_with("exit code: 2\n") && rejected.contains(message),
            "{rejected}"
        );
    }
}

#[test]
fn init_does_not_overwrite_files() {
    let atr = Atr::new().with_file("word-counter.json", "existing");
    let args = [&["manifest", "init"], ANSWERS.as_slice()].concat();
    assert_snapshot!(atr.transcript(&args), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: word-counter.json: the file already exists; use --output to write to another file
    ");
    assert_eq!(
        fs::read_to_string(atr.path("word-counter.json")).unwrap(),
        "existing"
    );
    let elsewhere = [&args[..], &["--output", "other.json", "--json"]].concat();
    assert_snapshot!(atr.transcript(&elsewhere));
    assert_eq!(fs::read_dir(atr.path("")).unwrap().count(), 2);
}

#[test]
fn init_lists_all_missing_values() {
    assert_snapshot!(Atr::new().transcript(&["manifest", "init", "--name", "x"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: missing --description, --endpoint, --creator-address; required unless prompts are possible (a terminal, or --interactive)
    ");
}

#[test]
fn init_rejects_invalid_values_and_writes_nothing() {
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
fn init_prompts_again_after_an_invalid_answer() {
    let atr = Atr::new();
    let answers = "Word Counter\nCounts message.\nnot a url\nhttps://a.example/count\n0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\n0.02\nbase\n\n";
    let output = with_input(
        &atr,
        &["manifest", "init", "--interactive"],
        answers.as_bytes(),
    );
    assert_snapshot!(atr.transcript_of(&output));
    let text = fs::read_to_string(atr.path("word-counter.json")).unwrap();
    assert!(text.contains("\"amount\": \"20000\""), "{text}");
    let output = with_input(
        &atr,
        &["manifest", "init", "--interactive", "-o", "x.json"],
        b"Word Counter\n",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(!atr.path("x.json").exists());
}
