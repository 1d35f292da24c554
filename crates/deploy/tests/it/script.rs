use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Output},
};

use alloy_primitives::{Address, B256, keccak256};
use atr_deploy::Suite;
use atr_loopback::{Anvil, binary};
use serde_json::Value;

/// Runs the Foundry script without broadcasting.
fn run(anvil: &Anvil, scratch: &Path, salt: &str) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = |name: &str| scratch.join(name);
    Command::new(binary("FORGE", "forge"))
        .args(["script", "script/Deploy.s.sol", "--json"])
        .args(["--rpc-url", &anvil.url])
        .current_dir(root)
        .env("SALT", salt)
        // A separate, fast build: the script deploys the committed bytecode.
        .env("FOUNDRY_OUT", folder("out"))
        .env("FOUNDRY_CACHE_PATH", folder("cache"))
        .env("FOUNDRY_VIA_IR", "false")
        .env("FOUNDRY_DISABLE_NIGHTLY_WARNING", "1")
        .output()
        .unwrap()
}

/// The contracts that the script would deploy.
fn run_script(anvil: &Anvil, scratch: &Path, salt: B256) -> BTreeMap<String, Address> {
    let output = run(anvil, scratch, &salt.to_string());
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
fn the_foundry_script_deploys_to_the_same_addresses_and_rejects_a_malformed_salt() {
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
    let digits = "57".repeat(32);
    for salt in [
        // Forge would pad it.
        "0x57",
        "my salt",
        &digits,
        &format!("0x{digits}57"),
        &format!("0x{}g", &digits[1..]),
    ] {
        let output = run(&anvil, scratch.path(), salt);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!output.status.success(), "{salt}: {text}");
        assert!(text.contains("MalformedSalt"), "{salt}: {text}");
    }
}
