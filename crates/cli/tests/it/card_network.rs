//! `atr card resolve`, `atr card bind` and `atr call` of a name: ENS's own contracts on anvil, and a TLS server.

use std::fs;

use atr_loopback::{
    ACCOUNT, CertificateAuthority, DnsResponse, DnsServer, EnsContracts, HttpsServer, Request,
    Response,
};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{atr::parse_json, fixture::Fixture};

const NAME: &str = "oracleagent.eth";
const FILE: &str = "card.json";
/// Cards must not have private addresses, so their server on loopback has a public name.
const HOST: &str = "cards.example.org";

/// A chain with ENS, and a card that is served and not bound yet.
struct Cards {
    fixture: Fixture,
    ens: EnsContracts,
    server: HttpsServer,
    _dns: DnsServer,
}

impl Cards {
    fn new() -> Self {
        let mut fixture = Fixture::new();
        let ens = EnsContracts::deploy(&fixture.anvil);
        ens.register(NAME);
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&[HOST]));
        let dns = DnsServer::start();
        dns.script(HOST, [DnsResponse::addresses(&["127.0.0.1"])]);
        let authorities =
            fs::read_to_string(fixture.atr.path("ca.pem")).unwrap() + &authority.pem();
        let host = format!("{HOST}:{}", server.address().port());
        fixture.atr = fixture
            .atr
            .with_file("ca.pem", authorities)
            .with_variable("ATR_ALLOW_HOST", host)
            .with_variable("ATR_NAME_SERVER", dns.address().to_string())
            .with_variable("ATR_ENS_REGISTRY", ens.registry.to_string())
            .with_variable("COLUMNS", "80");
        let cards = Self {
            fixture,
            ens,
            server,
            _dns: dns,
        };
        cards.serve(&cards.card());
        cards
    }

    fn card(&self) -> Value {
        let origin = format!("https://{HOST}:{}", self.server.address().port());
        let schema = |kind: &str| {
            let path = format!("/commons/fetch/{kind}s/fetch.{kind}.schema.json");
            let id = format!("{origin}{path}");
            let schema = match kind {
                "receipt" => json!({ "$id": id, "type": "object", "required": ["price"] }),
                _ => json!({ "$id": id, "type": "object" }),
            };
            self.server.put(&path, schema.to_string());
            id
        };
        json!({
            "$id": format!("{origin}/{FILE}"),
            "id": NAME,
            "slug": "oracleagent",
            "display_name": "Oracle Agent",
            "description": "Returns prices.",
            "owner": "publisher.eth",
            "ens": NAME,
            "version": "1.0.0",
            "status": "active",
            "class": "commons",
            "implements": ["fetch"],
            "schemas": { "request": schema("request"), "receipt": schema("receipt") },
            "entry": format!("x402://{NAME}/fetch/v1"),
            "networks": ["eip155:31337"],
            "license": "Apache-2.0",
            "created_at": "2026-11-18T00:00:00Z",
            "updated_at": "2026-11-18T00:00:00Z"
        })
    }

    fn serve(&self, card: &Value) {
        let text = format!("{card:#}\n");
        fs::write(self.fixture.atr.path(FILE), &text).unwrap();
        self.server.put(&format!("/{FILE}"), text);
    }

    /// Binds the card, and names a tool.
    fn bind(&self, more: &[&str]) {
        let args = [&["card", "bind", FILE, "--yes"], more].concat();
        let output = self.fixture.output(&args);
        assert!(output.status.success(), "{output:?}");
    }

    fn resolve(&self, code: i32) -> Value {
        self.fixture.json(&["card", "resolve", NAME], code)
    }
}

#[test]
fn resolve_prints_who_vouches_for_what() {
    // P-13, P-16
    let cards = Cards::new();
    cards.bind(&["--tool", &Fixture::tool(1)]);
    let resolve = ["card", "resolve", "OracleAgent.eth"];
    let transcript = cards.fixture.transcript(&resolve);
    assert_snapshot!("card_resolve_trusted", transcript);
    let report = cards.resolve(0);
    assert_eq!(
        (&report["trust"], &report["mismatches"]),
        (&json!("trusted"), &json!([]))
    );
    assert_eq!(report["tools"][0]["tool"], Fixture::tool(1));
    assert_eq!(report["card"]["entry"], format!("x402://{NAME}/fetch/v1"));
    // Every difference has code, location, what was found and what was expected. Text of others is escaped.
    cards.ens.set_text(
        NAME,
        [("cl.owner", "\u{1b}[31mmallory.eth"), ("cl.sig.kid", "v1")],
    );
    assert_snapshot!("card_resolve_untrusted", cards.fixture.transcript(&resolve));
    let report = cards.resolve(1);
    assert_eq!(report["mismatches"][0]["code"], "record-mismatch");
    assert_eq!(report["mismatches"][0]["at"], "cl.owner");
    assert_eq!(report["mismatches"][0]["expected"], "publisher.eth");
    cards.ens.set_text(NAME, [("cl.owner", "publisher.eth")]);
    // What cannot be checked is unknown.
    cards
        .server
        .remove("/commons/fetch/receipts/fetch.receipt.schema.json");
    let report = cards.resolve(3);
    assert_eq!(report["unknown"], json!(["schemas.receipt"]));
    let registration = [
        "--agent-registry",
        "eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
        "--agent-id",
        "22",
    ];
    let args = [&["card", "resolve", NAME], &registration[..]].concat();
    let report = cards.fixture.json(&args, 1);
    assert_eq!(report["mismatches"][0]["code"], "registration-missing");
}

#[test]
fn bind_prints_sends_or_exports_the_six_records() {
    // P-12
    let cards = Cards::new();
    let fixture = &cards.fixture;
    let print = fixture.json(&["card", "bind", FILE, "--print"], 0);
    let keys: Vec<_> = print["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "cl.agentcard",
            "cl.agentcard.mirror.ipfs",
            "cl.checksum.agentcard",
            "cl.cid.agentcard",
            "cl.entry",
            "cl.owner"
        ]
    );
    // For another signer: one call with all records.
    let unsigned = fixture.json(&["card", "bind", FILE, "--unsigned"], 0);
    assert_eq!(unsigned["unsigned"].as_array().unwrap().len(), 1);
    let to = unsigned["unsigned"][0]["to"].as_str().unwrap();
    assert_eq!(to, format!("{:#x}", cards.ens.public_resolver));
    fixture.json(&["card", "bind", FILE, "--safe", "batch.json"], 0);
    let batch = fs::read(fixture.atr.path("batch.json")).unwrap();
    let batch: Value = serde_json::from_slice(&batch).unwrap();
    assert_eq!(
        batch["transactions"][0]["data"],
        unsigned["unsigned"][0]["data"]
    );
    // Nothing was sent yet. The data of the batch sets the records.
    assert_eq!(cards.resolve(1)["mismatches"].as_array().unwrap().len(), 6);
    let data = alloy_primitives::hex::decode(batch["transactions"][0]["data"].as_str().unwrap());
    fixture.send(ACCOUNT, cards.ens.public_resolver, &data.unwrap());
    assert_eq!(cards.resolve(0)["trust"], "trusted");
    let transcript = fixture.transcript(&["card", "bind", FILE, "--yes"]);
    assert!(
        transcript.contains("up to date: nothing to send"),
        "{transcript}"
    );
    // Only what changed is sent, in one transaction for each record if the resolver has no multicall.
    let mut card = cards.card();
    card["owner"] = json!("other.eth");
    cards.serve(&card);
    let sent = fixture.json(&["card", "bind", FILE, "--yes", "--one-by-one"], 0);
    assert_eq!(sent["transactions"].as_array().unwrap().len(), 4);
    assert_eq!(cards.resolve(0)["card"]["owner"], "other.eth");
    // An invalid card is not bound; nor a name that belongs to another account.
    card["entry"] = json!("x402://oracleagent.eth/fetch/v2");
    cards.serve(&card);
    fixture.json(&["card", "bind", FILE, "--yes"], 1);
    cards.serve(&cards.card());
    let other = [
        "card",
        "bind",
        FILE,
        "--dry-run",
        "--from",
        atr_loopback::ACCOUNTS[1],
    ];
    fixture.json(&other, 1);
}

/// Runs a call and returns its JSON. The body of the tool is in it, whose names are not camelCase.
#[track_caller]
fn call(cards: &Cards, args: &[&str], code: i32) -> Value {
    let output = cards
        .fixture
        .output(&[&["call", NAME, "--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A registered tool that answers with a receipt, or with something else.
fn serve_tool(cards: &Cards, names_card: bool) -> String {
    let fixture = &cards.fixture;
    let mut manifest = fixture.manifest("oracle");
    if names_card {
        manifest["org.commandlayer.agent-card"] = json!(NAME);
    }
    let hash = fixture.serve("oracle", &manifest);
    let id = fixture.register(ACCOUNT, &fixture.uri("oracle"), hash);
    fixture.server.route("/oracle", |request: &Request| {
        let request: Value = serde_json::from_slice(&request.body).unwrap();
        let answer = match request["query"].as_str() {
            Some("eth") => {
                json!({ "price": "1", "request_id": request["request_id"], "verb": "fetch" })
            }
            Some("other id") => json!({ "price": "1", "request_id": "another" }),
            _ => json!({ "answer": "42" }),
        };
        Response::new(200, answer.to_string())
    });
    Fixture::tool(id)
}

#[test]
fn call_requires_a_trusted_card_and_validates_the_receipt() {
    // P-17, P-19
    let cards = Cards::new();
    let tool = serve_tool(&cards, false);
    cards.bind(&["--tool", &tool]);
    let by_name = |query: &str, more: &[&str], code| {
        let data = json!({ "query": query, "request_id": "r-1" }).to_string();
        let args = [more, &["--data", &data]].concat();
        call(&cards, &args, code)
    };
    let report = by_name("eth", &["fetch"], 0);
    assert_eq!(report["receipt"]["status"], "valid");
    assert_eq!(report["card"]["boundBy"], json!(["record"]));
    assert_eq!(
        (&report["tool"], &report["answer"]["status"]),
        (&json!(tool), &json!(200))
    );
    // The receipt does not follow the schema, or answers another request.
    let report = by_name("x", &[], 1);
    assert_eq!(report["receipt"]["findings"][0]["code"], "schema");
    let report = by_name("other id", &[], 1);
    assert_eq!(report["receipt"]["findings"][0]["code"], "request-id");
    // A verb that the card does not have.
    by_name("eth", &["summarize"], 1);
    // Nothing is called for a card that is unknown or untrusted.
    let count = || cards.fixture.server.count("/oracle");
    let before = count();
    let schema = "/commons/fetch/requests/fetch.request.schema.json";
    cards.server.remove(schema);
    by_name("eth", &[], 3);
    cards.serve(&cards.card());
    cards.ens.set_text(NAME, [("cl.checksum.agentcard", "00")]);
    let report = by_name("eth", &[], 1);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("untrusted: checksum-mismatch"),
        "{message}"
    );
    assert_eq!(count(), before);
}

#[test]
fn a_card_is_bound_to_a_tool_by_the_manifest_or_by_the_user() {
    // P-19
    let cards = Cards::new();
    cards.bind(&[]);
    let data = r#"{"query":"eth","request_id":"r-1"}"#;
    let by_name = |more: &[&str], code| call(&cards, &[&["--data", data], more].concat(), code);
    let error = by_name(&[], 1);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("no record names the tool for fetch"),
        "{message}"
    );
    for (names_card, bound_by, warnings) in [
        (false, json!(["user"]), 1),
        (true, json!(["user", "manifest"]), 0),
    ] {
        let tool = serve_tool(&cards, names_card);
        let report = by_name(&["--tool", &tool], 0);
        assert_eq!(report["card"]["boundBy"], bound_by);
        assert_eq!(report["warnings"].as_array().unwrap().len(), warnings);
    }
    // The options of a card have no meaning for a tool.
    let output = cards.fixture.output(&["call", "1", "fetch"]);
    assert_eq!(output.status.code(), Some(2));
    let _ = parse_json(
        &cards
            .fixture
            .output(&["call", "1", "fetch", "--json"])
            .stdout,
        2,
    );
}
