//! A card that is published: records on a chain, card and mirrors on a TLS server, blocks in a folder.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex},
};

use alloy_primitives::{Address, Bytes, U64, hex, keccak256};
use alloy_sol_types::{SolCall, SolValue, sol};
use atr_agent_card::{
    Card, Config, Profile,
    bridge::Registration,
    cid::{Dag, IpfsPath, Leaves},
    txt,
};
use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_loopback::{
    Anvil, CertificateAuthority, DnsResponse, DnsServer, EnsContracts, HttpsServer, Request,
    Response,
};
use atr_manifest::Document;
use atr_rpc::{BlockView, Endpoints, Ens, Node};
use atr_verify::card::{CardResolver, CardVerdict, Ipfs};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const NAME: &str = "summarizeagent.eth";
/// Cards must not have private addresses, so the server on loopback has a public name.
const HOST: &str = "cards.example.org";
const CARD_PATH: &str = "/agents/summarizeagent.eth.json";
const SCHEMAS: &str = "https://commandlayer.org/schemas/v1.0.0";

pub(crate) struct CardWorld {
    _anvil: Anvil,
    _dns: DnsServer,
    pub(crate) ens: EnsContracts,
    pub(crate) server: HttpsServer,
    pub(crate) http: SafeHttpClient,
    pub(crate) node: Node,
    /// CARs by CID.
    pub(crate) blocks: TempDir,
    pub(crate) records: BTreeMap<String, String>,
}

impl CardWorld {
    /// Everything is published and matches.
    pub(crate) fn new() -> Self {
        Self::on(&[], EnsContracts::deploy)
    }

    pub(crate) fn on(args: &[&str], deploy: impl FnOnce(&Anvil) -> EnsContracts) -> Self {
        let anvil = Anvil::start_with(args);
        let authority = CertificateAuthority::new();
        let server = HttpsServer::start(&authority.issue(&[HOST]));
        let dns = DnsServer::start();
        dns.script(HOST, [DnsResponse::addresses(&["127.0.0.1"])]);
        let allowed = AllowedHosts {
            hosts: vec![
                format!("{HOST}:{}", server.address().port())
                    .parse()
                    .unwrap(),
            ],
            root_certificates: authority.pem().into_bytes(),
        };
        let node = Node::try_new(Endpoints {
            urls: vec![anvil.url.parse().unwrap()],
            send_url: None,
            headers: Vec::new(),
            timeout: std::time::Duration::from_secs(30),
        });
        let ens = deploy(&anvil);
        ens.register(NAME);
        let mut world = Self {
            ens,
            server,
            http: SafeHttpClient::try_new(Limits::MANIFEST, allowed)
                .unwrap()
                .with_name_server(dns.address()),
            node: node.unwrap(),
            blocks: TempDir::new().unwrap(),
            records: BTreeMap::new(),
            _anvil: anvil,
            _dns: dns,
        };
        world.publish(&world.card());
        world
    }

    /// The example of the specification, with the CID filled in, at the addresses of this world.
    pub(crate) fn card(&self) -> Value {
        let mut card: Value =
            serde_json::from_str(include_str!("../../../../tests/vectors/agent_card.json"))
                .unwrap();
        let cid = self.add_folder(&schema_files());
        let origin = self.origin();
        card["$id"] = json!(format!("{origin}{CARD_PATH}"));
        for kind in ["request", "receipt"] {
            let path = schema_path(kind);
            card["schemas"][kind] = json!(format!("ipfs://{cid}/{path}"));
            card["schemas_mirror"][kind] = json!(format!("{origin}/{path}"));
            let bytes = &schema_files()[&path];
            self.server.put(&format!("/{path}"), bytes.clone());
        }
        card
    }

    pub(crate) fn origin(&self) -> String {
        format!("https://{HOST}:{}", self.server.address().port())
    }

    /// Serves the card and its blocks, and sets its records.
    pub(crate) fn publish(&mut self, card: &Value) {
        let bytes = format!("{card:#}\n").into_bytes();
        let path = "agents/summarizeagent.eth.json".to_owned();
        let cid = self.add_folder(&BTreeMap::from([(path.clone(), bytes.clone())]));
        let location = IpfsPath {
            cid: cid.parse().unwrap(),
            path,
        };
        self.server.put(CARD_PATH, bytes.clone());
        let document = Document::parse(bytes.clone()).unwrap();
        let url = format!("{}{CARD_PATH}", self.origin());
        let url = url.parse().unwrap();
        let records = txt::records_of(Card::new(&document), &bytes, &url, &location);
        let records = records.into_iter().flatten();
        self.records = records
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        let records = self.records.iter();
        self.ens.set_text(
            NAME,
            records.map(|(key, value)| (key.as_str(), value.as_str())),
        );
    }

    /// Serves other bytes in place of the card.
    pub(crate) fn serve(&self, bytes: impl Into<Vec<u8>>) {
        self.server.put(CARD_PATH, bytes);
    }

    pub(crate) fn stop_serving(&self) {
        self.server.remove(CARD_PATH);
    }

    /// Writes the blocks of a folder, and returns its CID.
    pub(crate) fn add_folder(&self, files: &BTreeMap<String, Vec<u8>>) -> String {
        let dag = Dag::of_folder(files, Leaves::Raw).unwrap();
        let cid = dag.root().to_string();
        fs::write(self.blocks.path().join(format!("{cid}.car")), dag.to_car()).unwrap();
        cid
    }

    pub(crate) fn folder(&self) -> Ipfs {
        Ipfs::Folder(self.blocks.path().to_owned())
    }

    pub(crate) fn resolve(&self) -> CardVerdict {
        self.resolve_with(NAME, self.folder(), Profile::Spec, None)
    }

    pub(crate) fn resolve_with(
        &self,
        name: &str,
        ipfs: Ipfs,
        profile: Profile,
        registration: Option<&Registration>,
    ) -> CardVerdict {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let view = BlockView::latest(self.node.provider());
            let ens = Ens::connect(view, self.ens.registry, self.http.clone());
            let ens = ens.await.unwrap();
            let config = Config::default();
            let resolver = CardResolver::new(ens, self.http.clone(), ipfs, profile, config);
            let name = name.parse().unwrap();
            resolver.resolve(&name, registration).await.unwrap()
        })
    }
}

fn schema_path(kind: &str) -> String {
    format!("commons/summarize/{kind}s/summarize.{kind}.schema.json")
}

/// The schemas of a release, one of which refers to a shared document.
pub(crate) fn schema_files() -> BTreeMap<String, Vec<u8>> {
    let schema = |path: &str, mut schema: Value| {
        schema["$id"] = json!(format!("{SCHEMAS}/{path}"));
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        (path.to_owned(), schema.to_string().into_bytes())
    };
    let shared = format!("{SCHEMAS}/_shared/x402.schema.json");
    BTreeMap::from([
        schema(
            "_shared/x402.schema.json",
            json!({ "type": "object", "required": ["request_id"] }),
        ),
        schema(&schema_path("request"), json!({ "type": "object" })),
        schema(
            &schema_path("receipt"),
            json!({ "type": "object", "properties": { "x402": { "$ref": shared } }, "required": ["x402", "status"] }),
        ),
    ])
}

sol! {
    function text(bytes32 node, string key) external view returns (string);
    function resolve(bytes name, bytes data) external view returns (bytes result, uint64 expires, bytes sig);
}

/// A gateway of the offchain resolver: signs the records that it has.
pub(crate) struct Gateway {
    pub(crate) records: Arc<Mutex<BTreeMap<String, String>>>,
    pub(crate) signer: Address,
}

impl Gateway {
    /// Answers at `<origin>/gateway/{sender}/{data}.json`.
    pub(crate) fn start(server: &HttpsServer, records: BTreeMap<String, String>) -> Self {
        use alloy::signers::{SignerSync, local::PrivateKeySigner};
        let key: PrivateKeySigner = atr_loopback::KEYS[2].parse().unwrap();
        let signer = key.address();
        let records = Arc::new(Mutex::new(records));
        let answers = Arc::clone(&records);
        server.fallback(move |request: &Request| {
            let Some(rest) = request.path().strip_prefix("/gateway/") else {
                return Response::new(404, "");
            };
            let (sender, data) = rest.split_once('/').unwrap();
            let sender: Address = sender.parse().unwrap();
            let data = hex::decode(data.strip_suffix(".json").unwrap()).unwrap();
            let call = resolveCall::abi_decode(&data).unwrap();
            let lookup = textCall::abi_decode(&call.data).unwrap();
            let value = answers.lock().unwrap().get(&lookup.key).cloned();
            let result = value.unwrap_or_default().abi_encode();
            let expires = u64::MAX;
            let hash = keccak256(
                [
                    &hex!("1900")[..],
                    sender.as_slice(),
                    &U64::from(expires).to_be_bytes::<8>(),
                    keccak256(&data).as_slice(),
                    keccak256(&result).as_slice(),
                ]
                .concat(),
            );
            let signature = key.sign_hash_sync(&hash).unwrap().as_bytes();
            let answer = (
                Bytes::from(result),
                expires,
                Bytes::from(signature.to_vec()),
            );
            let data = hex::encode_prefixed(answer.abi_encode_params());
            Response::new(200, json!({ "data": data }).to_string())
        });
        Self { records, signer }
    }

    pub(crate) fn template(world: &CardWorld) -> String {
        format!("{}/gateway/{{sender}}/{{data}}.json", world.origin())
    }
}
