//! Verifies a tool. Registry and manifest server are in memory here; use `atr_registry::Registry` and
//! `atr_fetch::SafeHttpClient` for real ones.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example prints its result"
)]

use alloy_primitives::{Address, U256};
use atr_ids::{MetadataUri, ToolRef};
use atr_manifest::Document;
use atr_registry::{ToolConfig, ToolState};
use atr_verify::{Freshness, ManifestSource, ToolSource, Verifier};

const MANIFEST: &str = r#"{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "oracle",
  "description": "Returns prices.",
  "endpoint": "https://tools.example.com/oracle",
  "inputs": {},
  "outputs": {},
  "creatorAddress": "0x1111111111111111111111111111111111111111"
}"#;

struct InMemory(ToolConfig);

impl ToolSource for &InMemory {
    fn registry(&self) -> (u64, Address) {
        (8453, Address::repeat_byte(0xaa))
    }

    async fn tool(&self, _: U256) -> Result<ToolState, atr_registry::Error> {
        Ok(ToolState::Live(self.0.clone()))
    }
}

impl ManifestSource for &InMemory {
    async fn manifest(&self, _: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        Ok(MANIFEST.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = InMemory(ToolConfig {
        creator: Address::repeat_byte(0x11),
        metadata_uri: "https://tools.example.com/.well-known/ai-tool/oracle.json".to_owned(),
        manifest_hash: Document::parse(MANIFEST)?.hash().to_b256(),
        access_predicate: None,
    });
    let verifier = Verifier::try_new(&source, &source, Freshness::default())?;
    let tool = ToolRef::try_new(8453, Address::repeat_byte(0xaa), U256::from(7))?;
    let now = 1_800_000_000;
    let verdict = verifier.verify(tool, None, now).await?;
    println!("{}", serde_json::to_string_pretty(&verdict)?);

    // Only a verified tool may be invoked.
    match verdict.into_verified() {
        Ok(tool) => println!("invoke {}", tool.manifest().endpoint()),
        Err(verdict) => println!("do not invoke: {:?}", verdict.failure()),
    }
    Ok(())
}
