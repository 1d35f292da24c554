//! Cards of real names: ENS's own registry and resolvers on anvil, a TLS server, and blocks that are compared with their CIDs.

use std::{collections::BTreeMap, fs};

use alloy_primitives::Address;
use atr_agent_card::{Profile, bridge::Registration, txt::Trust};
use atr_loopback::{EnsContracts, HostileServer, Request, Response};
use atr_rpc::ENS_REGISTRY;
use atr_verify::card::{CardVerdict, Ipfs, IpfsGateway};
use serde_json::json;

use crate::card_world::{CardWorld, Gateway, NAME, schema_files};

/// Code and subject of every difference.
fn mismatches(verdict: &CardVerdict) -> Vec<(&'static str, String)> {
    let mismatches = verdict.mismatches().into_iter();
    mismatches.map(|one| (one.code, one.at)).collect()
}

fn unknown(verdict: &CardVerdict) -> Vec<&str> {
    let unknown = verdict
        .checks
        .iter()
        .filter(|check| check.check.is_unknown());
    unknown.map(|check| check.subject.as_str()).collect()
}

#[test]
fn a_card_that_agrees_with_its_records_and_schemas_is_trusted() {
    // P-12, P-13, P-19
    let world = CardWorld::new();
    let verdict = world.resolve();
    assert_eq!(verdict.trust, Trust::Trusted, "{:#?}", verdict.checks);
    assert_eq!(verdict.checks.len(), 12);
    let trusted = verdict.into_trusted().unwrap();
    assert_eq!(trusted.verbs(), ["summarize"]);
    assert!(trusted.receipt_schema("summarize").is_some());
    assert!(trusted.receipt_schema("clean").is_none());
    // P-14: schema keys are flagged, signatures are reported; neither changes the verdict.
    world.ens.set_text(
        NAME,
        [
            ("cl.schema.request", "ipfs://x"),
            ("cl.sig.pub", "ed25519:abc"),
            (
                "erc8257.tool",
                "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7",
            ),
        ],
    );
    let verdict = world.resolve();
    assert_eq!(verdict.trust, Trust::Trusted);
    assert_eq!(verdict.schema_keys, ["cl.schema.request"]);
    assert_eq!(verdict.signatures[0].value, "ed25519:abc");
    let tool = verdict.into_trusted().unwrap().tool("summarize").unwrap();
    assert!(tool.to_string().ends_with("/7"));
    // ENSIP-25.
    let registration = Registration {
        agent_registry: "eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432"
            .parse()
            .unwrap(),
        agent_id: 22,
    };
    let resolve = || world.resolve_with(NAME, world.folder(), Profile::Spec, Some(&registration));
    let missing = [("registration-missing", "agent-registration".to_owned())];
    assert_eq!(mismatches(&resolve()), missing);
    let key = "agent-registration[0x000100000101148004a169fb4a3325136eb29fa0ceb6d2e539a432][22]";
    world.ens.set_text(NAME, [(key, "1")]);
    assert_eq!(resolve().trust, Trust::Trusted);
}

#[test]
fn every_failure_mode_of_the_specification_is_untrusted() {
    // P-13, P-15, P-16, P-17: section 12, one failure each.
    let mut world = CardWorld::new();
    let card = world.card();
    let check = |world: &CardWorld, expected: &[(&str, &str)]| {
        let verdict = world.resolve();
        let found = mismatches(&verdict);
        for (code, at) in expected {
            assert!(
                found.contains(&(code, (*at).to_owned())),
                "{code} {at}: {found:?}"
            );
        }
        assert_eq!(verdict.trust, Trust::Untrusted);
        assert!(verdict.into_trusted().is_err());
    };
    // The card does not validate; entry; unknown verb. Each is published with matching records, CID and checksum.
    for (member, value, code, at) in [
        ("license", json!(""), "license", "card/license"),
        (
            "entry",
            json!("x402://summarizeagent.eth/summarize/v1.0.0"),
            "entry",
            "card/entry",
        ),
        (
            "implements",
            json!(["condense"]),
            "unknown-verb",
            "card/implements/0",
        ),
        ("ens", json!("other.eth"), "name-mismatch", "ens"),
    ] {
        let mut changed = card.clone();
        changed[member] = value;
        world.publish(&changed);
        let found = mismatches(&world.resolve());
        assert!(
            found.iter().any(|one| one.1 == at),
            "{code} {at}: {found:?}"
        );
        check(&world, &[]);
    }
    world.publish(&card);
    // Records that are missing or inconsistent.
    let records = world.records.clone();
    for (key, value) in &records {
        world.ens.set_text(NAME, [(key.as_str(), "")]);
        check(&world, &[("record-missing", key)]);
        world.ens.set_text(NAME, [(key.as_str(), value.as_str())]);
    }
    world
        .ens
        .set_text(NAME, [("cl.owner", "commandlayer.eth.")]);
    check(&world, &[("record-mismatch", "cl.owner")]);
    world.publish(&card);
    // Other bytes than the pinned ones: a trailing newline.
    world.serve(format!("{card:#}\n\n"));
    check(
        &world,
        &[
            ("cid-mismatch", "cl.cid.agentcard"),
            ("checksum-mismatch", "cl.checksum.agentcard"),
        ],
    );
    world.publish(&card);
    // A raw CID of other bytes.
    let raw = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    world.ens.set_text(NAME, [("cl.cid.agentcard", raw)]);
    check(&world, &[("cid-mismatch", "cl.cid.agentcard")]);
    world.publish(&card);
    assert_eq!(world.resolve().trust, Trust::Trusted);
    // The folder of the schemas has another schema there, or none; the mirror differs.
    let mut files = schema_files();
    let (path, _) = files
        .iter()
        .find(|(path, _)| path.contains("receipts"))
        .unwrap();
    let path = path.clone();
    for changed in [Some(b"{}".to_vec()), None] {
        match changed {
            Some(bytes) => files.insert(path.clone(), bytes),
            None => files.remove(&path),
        };
        let cid = world.add_folder(&files);
        let mut changed = card.clone();
        changed["schemas"]["receipt"] = json!(format!("ipfs://{cid}/{path}"));
        world.publish(&changed);
        check(&world, &[("schema-mismatch", "schemas.receipt")]);
    }
    world.publish(&card);
    world
        .server
        .put(&format!("/{path}"), r#"{"type":"string"}"#);
    check(&world, &[("mirror-mismatch", "schemas_mirror.receipt")]);
}

#[test]
fn what_cannot_be_checked_is_unknown() {
    // P-16: unknown is not a mismatch, but the card is not trusted either.
    let world = CardWorld::new();
    let verdict = world.resolve_with(NAME, Ipfs::None, Profile::Spec, None);
    assert_eq!(verdict.trust, Trust::Unknown);
    assert_eq!(
        unknown(&verdict),
        [
            "cl.cid.agentcard",
            "cl.agentcard.mirror.ipfs",
            "schemas.request",
            "schemas_mirror.request",
            "schemas.receipt",
            "schemas_mirror.receipt",
        ]
    );
    assert!(verdict.into_trusted().is_err());
    // The server of the card is down: the card is read from IPFS, but its URL is not checked.
    world.stop_serving();
    let verdict = world.resolve();
    assert_eq!(
        (verdict.trust, unknown(&verdict)),
        (Trust::Unknown, vec!["cl.agentcard"])
    );
    let verdict = world.resolve_with(NAME, Ipfs::None, Profile::Spec, None);
    assert_eq!(verdict.trust, Trust::Unknown);
    assert!(verdict.card.is_none() && unknown(&verdict).len() == 8);
    // A name without records, and one without a resolver.
    world.ens.register("empty.eth");
    for name in ["empty.eth", "missing.eth"] {
        let verdict = world.resolve_with(name, Ipfs::None, Profile::Spec, None);
        assert_eq!(verdict.trust, Trust::Untrusted, "{name}");
        assert_eq!(mismatches(&verdict).len(), 6, "{name}");
    }
    // A CAR whose blocks do not have their CIDs proves nothing.
    let world = CardWorld::new();
    for file in fs::read_dir(world.blocks.path()).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let verdict = world.resolve();
    assert_eq!(
        (verdict.trust, mismatches(&verdict)),
        (Trust::Unknown, vec![])
    );
}

#[test]
fn blocks_come_from_a_trustless_gateway() {
    // P-15
    let world = CardWorld::new();
    let blocks = world.blocks.path().to_owned();
    let gateway = HostileServer::over_tcp(move |stream| {
        let request = Request::read(stream).unwrap();
        let cid = request.path().split('/').nth(2).unwrap().to_owned();
        assert!(
            request.target.ends_with("?format=car&dag-scope=entity"),
            "{}",
            request.target
        );
        let response = match fs::read(blocks.join(format!("{cid}.car"))) {
            Ok(car) => Response::new(200, car),
            Err(_) => Response::new(404, ""),
        };
        response.write(stream).unwrap();
    });
    let url = format!("http://{}", gateway.address());
    let url: url::Url = url.parse().unwrap();
    let ipfs = || {
        let http = atr_fetch::HttpClient::try_new(atr_fetch::Limits::default()).unwrap();
        Ipfs::Gateway(Box::new(IpfsGateway {
            url: url.clone(),
            http,
        }))
    };
    let verdict = world.resolve_with(NAME, ipfs(), Profile::Spec, None);
    assert_eq!(verdict.trust, Trust::Trusted, "{:#?}", verdict.checks);
    for file in fs::read_dir(world.blocks.path()).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    let verdict = world.resolve_with(NAME, ipfs(), Profile::Spec, None);
    assert_eq!(verdict.trust, Trust::Unknown);
}

/// The records of a subdomain, from the resolver of its parent and a signing gateway.
fn check_gateway(world: &CardWorld) {
    let gateway = Gateway::start(&world.server, world.records.clone());
    let template = Gateway::template(world);
    let resolver = world
        .ens
        .deploy_offchain_resolver(&template, gateway.signer);
    world.ens.register_without_resolver("offchain.eth");
    world.ens.set_resolver("offchain.eth", resolver);
    let resolve = || world.resolve_with("a.offchain.eth", world.folder(), Profile::Spec, None);
    let verdict = resolve();
    // The card is that of another name; all records match it.
    assert_eq!(mismatches(&verdict), [("name-mismatch", "ens".to_owned())]);
    assert!(verdict.is_wildcard);
    assert_eq!(verdict.resolver, Some(resolver));
    gateway.records.lock().unwrap().remove("cl.owner");
    assert!(mismatches(&resolve()).contains(&("record-missing", "cl.owner".to_owned())));
    // An answer that another key signed, and a gateway at an address that is not public.
    let forged = world
        .ens
        .deploy_offchain_resolver(&template, Address::repeat_byte(1));
    let private = "https://127.0.0.1:1/{sender}/{data}.json";
    let private = world.ens.deploy_offchain_resolver(private, gateway.signer);
    for resolver in [forged, private] {
        world.ens.set_resolver("offchain.eth", resolver);
        let verdict = resolve();
        assert_eq!(
            (verdict.trust, unknown(&verdict).len()),
            (Trust::Unknown, 8)
        );
    }
}

#[test]
fn records_of_subdomains_come_from_signed_answers_of_a_gateway() {
    // P-12: ENSIP-10 and ERC-3668, with the resolver that ENS publishes.
    check_gateway(&CardWorld::new());
}

#[test]
fn the_universal_resolver_is_used_where_the_chain_has_it() {
    // P-12: ENSIP-21, with a stand-in for the universal resolver of ENS.
    let world = CardWorld::on(&[], |anvil| {
        let artifact = include_str!("../../../harness/artifacts/StandInUniversalResolver.json");
        let artifact: serde_json::Value = serde_json::from_str(artifact).unwrap();
        let universal = "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe";
        let code = &artifact["deployedBytecode"];
        anvil.request("anvil_setCode", json!([universal, code]));
        EnsContracts::deploy_at(anvil, ENS_REGISTRY)
    });
    assert_eq!(world.resolve().trust, Trust::Trusted);
    let verdict = world.resolve_with("missing.eth", Ipfs::None, Profile::Spec, None);
    assert_eq!(mismatches(&verdict).len(), 6);
    check_gateway(&world);
}

#[test]
#[expect(clippy::disallowed_macros, reason = "says that data is missing")]
fn published_cards_follow_the_published_profile_and_not_the_text() {
    // P-16
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/commandlayer/agent-cards-repo/agents/v1.0.0/commons");
    let Ok(files) = fs::read_dir(&folder) else {
        println!("not run: ../shared/data/commandlayer is not there");
        return;
    };
    let files: BTreeMap<_, _> = files
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    let mut world = CardWorld::new();
    let cid = world.add_folder(&files);
    let card: serde_json::Value =
        serde_json::from_slice(&files["summarizeagent.eth.json"]).unwrap();
    world.publish(&card);
    let mirror = format!("ipfs://{cid}/summarizeagent.eth.json");
    let checksum = atr_agent_card::Checksum::of(&files["summarizeagent.eth.json"]).to_string();
    let url = card["$id"].as_str().unwrap();
    // The URL is not fetched: this name server knows no host. The card comes from the folder.
    let dns = atr_loopback::DnsServer::start();
    world.http = world.http.clone().with_name_server(dns.address());
    world.ens.set_text(
        NAME,
        [
            ("cl.agentcard", url),
            ("cl.cid.agentcard", cid.as_str()),
            ("cl.agentcard.mirror.ipfs", mirror.as_str()),
            ("cl.checksum.agentcard", checksum.as_str()),
        ],
    );
    let resolve = |profile| world.resolve_with(NAME, world.folder(), profile, None);
    let verdict = resolve(Profile::Spec);
    assert_eq!(verdict.trust, Trust::Untrusted);
    assert!(mismatches(&verdict).contains(&("entry", "card/entry".to_owned())));
    let verdict = resolve(Profile::Published10);
    assert_eq!(
        (verdict.trust, mismatches(&verdict)),
        (Trust::Unknown, vec![])
    );
    assert!(unknown(&verdict).contains(&"cl.agentcard"));
}
