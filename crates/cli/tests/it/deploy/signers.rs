use std::process::Command;

use atr_loopback::{ACCOUNT, Anvil, KEY, cast};
use serde_json::json;

use super::Operator;
use crate::atr::Atr;

/// Mnemonic of anvil's accounts, and the second account.
const MNEMONIC: &str = "test test test test test test test test test test test junk";
const SECOND: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn operator(anvil: &Anvil) -> Operator {
    let atr = Atr::new();
    let keystores = atr.path(".foundry/keystores");
    // Created by `cast`, so that the test covers its format.
    let imported = Command::new(cast())
        .args([
            "wallet",
            "import",
            "deployer",
            "--unsafe-password",
            "right",
            "--private-key",
            KEY,
        ])
        .arg("--keystore-dir")
        .arg(&keystores)
        .output()
        .unwrap();
    assert!(
        imported.status.success(),
        "{}",
        super::text(&imported.stderr)
    );
    let home = atr.path("");
    let atr = atr
        .with_file("password", "right\n")
        .with_file("wrong", "wrong\n")
        .with_file("mnemonic", format!("{MNEMONIC}\n"))
        .with_variable("HOME", home);
    Operator {
        atr,
        url: anvil.url.clone(),
    }
}

#[test]
fn signs_with_keystore_mnemonic_and_environment() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    let only = ["--chain", "anvil", "--yes", "--only", "AlwaysDenyPredicate"];
    let signs = |salt: u8, args: &[&str], sender: &str| {
        let salt = format!("0x{salt:064x}");
        let before = anvil.nonce(sender);
        let report = operator.json(&[&only[..], &["--salt", &salt], args].concat(), 0);
        assert_eq!(
            report["plan"]["sender"],
            json!(sender.to_lowercase()),
            "{args:?}"
        );
        assert_eq!(anvil.nonce(sender), before + 1, "{args:?}");
    };
    signs(
        1,
        &["--account", "deployer", "--password-file", "password"],
        ACCOUNT,
    );
    signs(
        2,
        &[
            "--keystore",
            ".foundry/keystores/deployer",
            "--password-file",
            "password",
        ],
        ACCOUNT,
    );
    signs(3, &["--mnemonic-file", "mnemonic"], ACCOUNT);
    signs(
        4,
        &["--mnemonic-file", "mnemonic", "--mnemonic-index", "1"],
        SECOND,
    );
    signs(
        5,
        &[
            "--mnemonic-file",
            "mnemonic",
            "--derivation-path",
            "m/44'/60'/0'/0/1",
        ],
        SECOND,
    );

    let operator = Operator::new(&anvil);
    let report = operator.json(&only, 0);
    assert_eq!(report["plan"]["sender"], json!(ACCOUNT.to_lowercase()));
}

#[test]
fn signer_errors_do_not_contain_secrets() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    for (args, message) in [
        (
            &["--account", "deployer", "--password-file", "wrong"][..],
            "cannot decrypt the keystore: wrong password",
        ),
        (&["--account", "missing"], "run `cast wallet list`"),
        (
            &["--keystore", "missing", "--password-file", "password"],
            "cannot read the file (--keystore)",
        ),
        (&["--account", "deployer"], "use --password-file <file>"),
        (&["--mnemonic-file", "password"], "invalid mnemonic"),
        (&["--interactive"], "set ATR_PRIVATE_KEY"),
        (&["--aws", "key"], "--features aws"),
        (&["--gcp", "key"], "--features gcp"),
        (
            &["--account", "deployer", "--ledger"],
            "cannot be used with",
        ),
    ] {
        let error = operator.error(&[&["--chain", "anvil", "--yes"], args].concat(), 2);
        assert!(error.contains(message), "{args:?}: {error}");
        assert!(
            !error.contains("right") && !error.contains("junk"),
            "{error}"
        );
    }
    let invalid_key = Operator {
        atr: Atr::new().with_variable("ATR_PRIVATE_KEY", "0xSECRET"),
        url: anvil.url.clone(),
    };
    let error = invalid_key.error(&["--chain", "anvil", "--yes"], 2);
    assert!(
        error.contains("ATR_PRIVATE_KEY: invalid private key"),
        "{error}"
    );
    assert!(!error.contains("SECRET"), "{error}");
}

#[test]
fn flags_override_the_private_key_variable() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    let args = [
        "--chain",
        "anvil",
        "--dry-run",
        "--json",
        "--mnemonic-file",
        "mnemonic",
        "--mnemonic-index",
        "1",
    ];
    let output = operator
        .command(&args)
        .env("ATR_PRIVATE_KEY", KEY)
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["plan"]["sender"], json!(SECOND.to_lowercase()));
}
