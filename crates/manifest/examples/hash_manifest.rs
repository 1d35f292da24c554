//! Checks a manifest and prints its hash: `cargo run -p atr-manifest --example hash_manifest -- <file>`.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example prints its result"
)]

use atr_manifest::{Manifest, Policy};

const SAMPLE: &str = r#"{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "nft-price-oracle",
  "description": "Returns estimated floor price for any NFT collection.",
  "endpoint": "https://tools.example.com/nft-price-oracle",
  "inputs": {},
  "outputs": {},
  "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456"
}"#;

fn main() -> std::io::Result<()> {
    let bytes = match std::env::args().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => SAMPLE.into(),
    };
    match Manifest::parse(bytes, Policy::producer()) {
        Ok(manifest) => {
            println!("{} {}", manifest.hash(), manifest.name());
            for warning in manifest.warnings() {
                println!("warning: {warning}");
            }
        }
        Err(findings) => {
            for violation in &findings.violations {
                println!("error: {violation}\n  fix: {}", violation.fix);
            }
        }
    }
    Ok(())
}
