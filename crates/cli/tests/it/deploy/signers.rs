use std::process::Command;

use atr_loopback::{ACCOUNT, Anvil, KEY, cast};
use serde_json::json;

use super::Operator;
use crate::atr::Atr;

/// The phrase anvil's accounts come from, and the second of them.
const PHRASE: &str = "test test test test test test test test test test test junk";
const SECOND: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

fn operator(anvil: &Anvil) -> Operator {
    let atr = Atr::new();
    let keystores = atr.path(".foundry/keystores");
    // Foundry's own tool makes the keystore, so that what it makes is what we read.
    let made = Command::new(cast())
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
    assert!(made.status.success(), "{}", super::text(&made.stderr));
    let home = atr.path("");
    let atr = atr
        .with_file("password", "right\n")
        .with_file("wrong", "wrong\n")
        .with_file("phrase", format!("{PHRASE}\n"))
        .with_variable("HOME", home);
    Operator {
        atr,
        url: anvil.url.clone(),
    }
}

#[test]
fn keystores_phrases_and_the_environment_sign_for_real() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    let only = ["--chain", "anvil", "--yes", "--only", "AlwaysDenyPredicate"];
    let signs = |salt: u8, args: &[&str], sender: &str| {
        let salt = format!("0x{salt:064x}");
        let before = anvil.nonce(sender);
        let answer = operator.answer(&[&only[..], &["--salt", &salt], args].concat(), 0);
        assert_eq!(
            answer["plan"]["sender"],
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
    signs(3, &["--mnemonic-file", "phrase"], ACCOUNT);
    signs(
        4,
        &["--mnemonic-file", "phrase", "--mnemonic-index", "1"],
        SECOND,
    );
    signs(
        5,
        &[
            "--mnemonic-file",
            "phrase",
            "--derivation-path",
            "m/44'/60'/0'/0/1",
        ],
        SECOND,
    );

    let operator = Operator::at(&anvil);
    let answer = operator.answer(&only, 0);
    assert_eq!(answer["plan"]["sender"], json!(ACCOUNT.to_lowercase()));
}

#[test]
fn a_signer_that_cannot_sign_is_misuse_and_its_secret_is_not_repeated() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    for (args, words) in [
        (
            &["--account", "deployer", "--password-file", "wrong"][..],
            "the keystore does not open: wrong password",
        ),
        (
            &["--account", "nobody"],
            "`cast wallet list` shows the names",
        ),
        (
            &["--keystore", "missing", "--password-file", "password"],
            "cannot be read (--keystore)",
        ),
        (&["--account", "deployer"], "give --password-file <file>"),
        (&["--mnemonic-file", "password"], "makes no key"),
        (&["--interactive"], "set ATR_PRIVATE_KEY"),
        (&["--aws", "key"], "--features aws"),
        (&["--gcp", "key"], "--features gcp"),
        (
            &["--account", "deployer", "--ledger"],
            "cannot be used with",
        ),
    ] {
        let error = operator.error(&[&["--chain", "anvil", "--yes"], args].concat(), 2);
        assert!(error.contains(words), "{args:?}: {error}");
        assert!(
            !error.contains("right") && !error.contains("junk"),
            "{error}"
        );
    }
    let bad_key = Operator {
        atr: Atr::new().with_variable("ATR_PRIVATE_KEY", "0xSECRET"),
        url: anvil.url.clone(),
    };
    let error = bad_key.error(&["--chain", "anvil", "--yes"], 2);
    assert!(
        error.contains("ATR_PRIVATE_KEY: not a private key"),
        "{error}"
    );
    assert!(!error.contains("SECRET"), "{error}");
}

#[test]
fn the_command_line_comes_before_the_environment() {
    let anvil = Anvil::start();
    let operator = operator(&anvil);
    let args = [
        "--chain",
        "anvil",
        "--dry-run",
        "--json",
        "--mnemonic-file",
        "phrase",
        "--mnemonic-index",
        "1",
    ];
    let output = operator
        .command(&args)
        .env("ATR_PRIVATE_KEY", KEY)
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["plan"]["sender"], json!(SECOND.to_lowercase()));
}
