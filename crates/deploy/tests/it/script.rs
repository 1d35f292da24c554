use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use alloy_primitives::{Address, B256, keccak256};
use atr_deploy::Suite;
use atr_loopback::{Anvil, binary};
use serde_json::Value;

/// Runs the Foundry script without broadcasting, and returns the contracts it would deploy.
fn run_script(anvil: &Anvil, scratch: &Path, salt: B256) -> BTreeMap<String, Address> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = |name: &str| scratch.join(name);
    let output = Command::new(binary("FORGE", "forge"))
        .args(["script", "script/Deploy.s.sol", "--json"])
        .args(["--rpc-url", &anvil.url])
        .current_dir(root)
        .env("SALT", salt.to_string())
        // A separate, fast build: the script deploys the committed bytecode.
        .env("FOUNDRY_OUT", folder("out"))
        .env("FOUNDRY_CACHE_PATH", folder("cache"))
        .env("FOUNDRY_VIA_IR", "false")
        .env("FOUNDRY_DISABLE_NIGHTLY_WARNING", "1")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = stdout
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| line["returns"]["deployed"].is_object())
        .unwrap_or_else(|| panic!("{stdout}"));
    // [(ToolRegistry, 0x…), …], as forge prints tuples.
    let value = output["returns"]["deployed"]["value"].as_str().unwrap();
    value
        .split('(')
        .skip(1)
        .map(|item| {
            let (name, rest) = item.split_once(", ").unwrap();
            (name.to_owned(), rest[..42].parse().unwrap())
        })
        .collect()
}

#[test]
fn the_foundry_script_deploys_to_the_same_addresses() {
    let anvil = Anvil::start();
    // One build for all salts.
    let scratch = tempfile::tempdir().unwrap();
    let salts = [B256::ZERO, B256::repeat_byte(0x57), keccak256("any salt")];
    let mut seen = BTreeSet::new();
    for salt in salts {
        let predicted: BTreeMap<_, _> = Suite::new(salt)
            .targets()
            .iter()
            .map(|target| (target.name().to_owned(), target.address()))
            .collect();
        // The address is derived from the init code, so equal addresses mean equal bytecode.
        let deployed = run_script(&anvil, scratch.path(), salt);
        assert_eq!(deployed, predicted, "salt {salt}");
        seen.extend(deployed.into_values());
    }
    assert_eq!(seen.len(), salts.len() * atr_bindings::CONTRACTS.len());
}
