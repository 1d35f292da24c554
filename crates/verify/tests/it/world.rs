use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use alloy_primitives::{Address, B256, U256, address};
use atr_ids::{MetadataUri, ToolRef};
use atr_manifest::Document;
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Freshness, ManifestSource, ToolSource, Verdict, Verifier};
use serde_json::{Value, json};

pub(crate) const CREATOR: Address = address!("0xabcdefabcdef1234567890abcdefabcdef123456");
pub(crate) const URI: &str = "https://tools.example.com/.well-known/ai-tool/oracle.json";
pub(crate) const NOW: u64 = 1_800_000_000;

/// A registry with scripted states. The last state repeats.
pub(crate) struct Chain {
    /// None is a failed RPC request.
    states: Mutex<VecDeque<Option<ToolState>>>,
    pub(crate) reads: AtomicUsize,
}

impl ToolSource for &Chain {
    fn registry(&self) -> (u64, Address) {
        (tool().chain(), tool().registry())
    }

    async fn tool(&self, _: U256) -> Result<ToolState, atr_registry::Error> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut states = self.states.lock().unwrap();
        let last = states.len() == 1;
        let state = if last {
            states.front().cloned()
        } else {
            states.pop_front()
        };
        state.unwrap().ok_or_else(rpc_error)
    }
}

/// A manifest server with one response.
pub(crate) struct Server {
    response: Box<dyn Fn() -> Result<Vec<u8>, atr_fetch::Error> + Send + Sync>,
    pub(crate) requests: AtomicUsize,
}

impl ManifestSource for &Server {
    async fn manifest(&self, _: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        (self.response)()
    }
}

/// One tool, registered and served.
pub(crate) struct World {
    pub(crate) chain: Chain,
    pub(crate) server: Server,
    pub(crate) freshness: Freshness,
}

impl World {
    /// A served manifest and a matching registration.
    pub(crate) fn new(manifest: &Value) -> Self {
        let bytes = manifest.to_string();
        Self::with_bytes(config(canonical_hash(&bytes)), bytes)
    }

    pub(crate) fn with_bytes(config: ToolConfig, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::with_response([ToolState::Live(config)], move || Ok(bytes.clone()))
    }

    pub(crate) fn with_response(
        states: impl IntoIterator<Item = impl Into<Option<ToolState>>>,
        response: impl Fn() -> Result<Vec<u8>, atr_fetch::Error> + Send + Sync + 'static,
    ) -> Self {
        Self {
            chain: Chain {
                states: Mutex::new(states.into_iter().map(Into::into).collect()),
                reads: AtomicUsize::new(0),
            },
            server: Server {
                response: Box::new(response),
                requests: AtomicUsize::new(0),
            },
            freshness: Freshness::default(),
        }
    }

    pub(crate) fn verify(&self) -> Verdict {
        self.verify_pinned(None)
    }

    pub(crate) fn try_verify(&self, tool: ToolRef) -> Result<Verdict, atr_verify::Error> {
        self.verify_tool(tool, None)
    }

    fn verify_tool(&self, tool: ToolRef, pin: Option<B256>) -> Result<Verdict, atr_verify::Error> {
        let verifier = Verifier::try_new(&self.chain, &self.server, self.freshness)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(verifier.verify(tool, pin, NOW))
    }

    pub(crate) fn verify_pinned(&self, pin: Option<B256>) -> Verdict {
        self.verify_tool(tool(), pin).unwrap()
    }

    pub(crate) fn reads(&self) -> usize {
        self.chain.reads.load(Ordering::Relaxed)
    }

    pub(crate) fn requests(&self) -> usize {
        self.server.requests.load(Ordering::Relaxed)
    }
}

pub(crate) fn tool() -> ToolRef {
    ToolRef::try_new(8453, Address::repeat_byte(0x11), U256::from(7)).unwrap()
}

pub(crate) fn config(manifest_hash: B256) -> ToolConfig {
    ToolConfig {
        creator: CREATOR,
        metadata_uri: URI.to_owned(),
        manifest_hash,
        access_predicate: None,
    }
}

pub(crate) fn canonical_hash(text: &str) -> B256 {
    Document::parse(text).unwrap().hash().to_b256()
}

/// A valid manifest.
pub(crate) fn manifest() -> Value {
    json!({
        "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
        "name": "oracle",
        "description": "Returns prices.",
        "endpoint": "https://tools.example.com/oracle",
        "inputs": {},
        "outputs": {},
        "creatorAddress": format!("{CREATOR:#x}"),
    })
}

/// The valid manifest with one member set.
pub(crate) fn manifest_with(name: &str, value: impl Into<Value>) -> Value {
    let mut manifest = manifest();
    manifest[name] = value.into();
    manifest
}

fn rpc_error() -> atr_registry::Error {
    atr_registry::Error::NotARegistry {
        address: tool().registry(),
        chain_id: tool().chain(),
        reason: "the node does not respond".to_owned(),
    }
}
