use std::{
    path::PathBuf,
    process::{Child, Output, Stdio},
};

use atr_deploy::Suite;
use atr_loopback::{ACCOUNT, Anvil, KEY};
use serde_json::Value;

use crate::atr::{Atr, parse_json};

mod check;
mod explorers;
/// Faulty nodes and chains.
mod faults;
/// Runs killed at every step.
mod resume;
mod run;
mod signers;

/// Runs `atr deploy` with a key, a working directory and a node.
struct Operator {
    atr: Atr,
    url: String,
}

impl Operator {
    fn new(anvil: &Anvil) -> Self {
        Self::with_url(&anvil.url)
    }

    fn with_url(url: &str) -> Self {
        Self {
            atr: Atr::new().with_variable("ATR_PRIVATE_KEY", KEY),
            url: url.to_owned(),
        }
    }

    fn without_key(anvil: &Anvil) -> Self {
        Self {
            atr: Atr::new(),
            url: anvil.url.clone(),
        }
    }

    /// The same key and directory with another node.
    fn using(self, url: &str) -> Self {
        Self {
            url: url.to_owned(),
            ..self
        }
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let records = self.records().display().to_string();
        let mut all = vec!["deploy"];
        if !args.starts_with(&["check"]) {
            all.extend(["--records", &records]);
        }
        all.extend(args);
        if !args.contains(&"--rpc-url") {
            all.extend(["--rpc-url", &self.url]);
        }
        self.atr.command(&all)
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn start(&self, args: &[&str]) -> Child {
        self.command(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs with `--json` and returns the output.
    #[track_caller]
    fn json(&self, args: &[&str], code: i32) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{stderr}\n{}",
            text(&output.stdout)
        );
        parse_json(&output.stdout, code)
    }

    /// Runs and returns the error: with `--json` it is on stdout.
    #[track_caller]
    fn error(&self, args: &[&str], code: i32) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
        if args.contains(&"--json") {
            return parse_json(&output.stdout, code)["error"].to_string();
        }
        text(&output.stderr)
    }

    fn records(&self) -> PathBuf {
        self.atr.path("records")
    }

    fn record(&self, chain_id: u64) -> Value {
        let path = self.records().join(format!("{chain_id}.json"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    fn journal_exists(&self, chain_id: u64) -> bool {
        let name = format!("{chain_id}-{}.json", ACCOUNT.to_lowercase());
        self.atr.path("state/journal").join(name).exists()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn suite() -> Suite {
    Suite::new(Default::default())
}
