use std::process::{Command, Output};

use alloy_primitives::{Address, B256, U256};
use atr_loopback::ACCOUNT;
use serde_json::{Value, json};

use crate::{
    stage::{Stage, address_of},
    support::proxy::{Action, Proxy},
};

/// Runs a command on a terminal and answers its questions one after the other.
const TERMINAL: &str = r"
import os, pty, sys
answers = list(sys.argv[1])
pid, line = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown = b''
asked = 0
while True:
    try:
        piece = os.read(line, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if shown.count(b'[y/N]') > asked and answers:
        asked = shown.count(b'[y/N]')
        os.write(line, answers.pop(0).encode())
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";

impl Stage {
    /// Runs a command for somebody who answers with these letters.
    fn on_a_terminal(&self, args: &[&str], answers: &str) -> Output {
        let command = self.atr.command(args);
        let mut terminal = Command::new("python3");
        terminal.args(["-c", TERMINAL, answers]);
        terminal.arg(command.get_program()).args(command.get_args());
        terminal.current_dir(command.get_current_dir().unwrap());
        for (name, value) in command.get_envs() {
            terminal.env(name, value.unwrap());
        }
        let terminal = terminal.env("TERM", "xterm").env("NO_COLOR", "1");
        terminal.output().unwrap()
    }

    fn set_balance(&self, balance: U256) {
        let params = json!([ACCOUNT, format!("{balance:#x}")]);
        self.anvil.ask("anvil_setBalance", params);
    }
}

fn number(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn what_cannot_be_sent_is_said_with_the_plan() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO).to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny];
    let stingy = [&set[..], &["--max-fee-per-gas", "1wei"]].concat();
    let refused = |args: &[&str], words: &str| {
        for how in ["--dry-run", "--yes"] {
            let args = [args, &[how]].concat();
            let transcript = stage.plain(&args);
            assert!(transcript.starts_with("exit code: 1\n"), "{transcript}");
            assert!(transcript.contains("cannot be sent: "), "{transcript}");
            assert!(transcript.contains(words), "{transcript}");
            let answer = stage.plain_answer(&args, 1);
            assert_eq!(answer["blockers"].as_array().unwrap().len(), 1, "{answer}");
        }
    };
    refused(&stingy, "--max-fee-per-gas allows 1");
    stage.set_balance(U256::ZERO);
    refused(&set, "has 0, and setting the predicate of tool 1 may cost");
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
}

#[test]
fn a_gate_that_is_set_up_later_is_in_the_plan_and_has_to_be_paid_for() {
    let stage = Stage::new();
    stage.serve("oracle", &stage.manifest("oracle"));
    let (uri, collection) = (stage.uri("oracle"), Address::repeat_byte(0x72).to_string());
    let register = ["tool", "register", &uri, "--nft-gate", &collection];
    let dry_run = [&register[..], &["--dry-run"]].concat();
    let plan = stage.answer(&dry_run, 0);
    let first = number(&plan["planned"][0]["atMost"]);
    let second = number(&plan["later"][0]["atMost"]);
    assert!(!second.is_zero());
    // More than enough for the first by itself.
    stage.set_balance(first + second / U256::from(2));
    let plan = stage.answer(&dry_run, 1);
    let blocker = plan["blockers"][0].as_str().unwrap();
    assert!(blocker.contains("all that is to be sent"), "{blocker}");
    let before = stage.anvil.nonce(ACCOUNT);
    stage.answer(&[&register[..], &["--yes"]].concat(), 1);
    assert_eq!(stage.anvil.nonce(ACCOUNT), before);
    stage.set_balance(U256::from(10).pow(U256::from(18)));
    let done = stage.answer(&[&register[..], &["--yes"]].concat(), 0);
    let used = done["transactions"][1]["gasUsed"].as_u64().unwrap();
    assert!(used <= plan["later"][0]["gas"].as_u64().unwrap(), "{done}");
}

#[test]
fn a_tool_whose_gate_could_not_be_set_up_is_told_by_its_id() {
    let stage = Stage::new();
    stage.serve("oracle", &stage.manifest("oracle"));
    let uri = stage.uri("oracle");
    // One more than the predicate takes.
    let collections = ["--nft-gate", "0x7272727272727272727272727272727272727272"].repeat(15);
    let args = [&["tool", "register", &uri, "--yes"][..], &collections].concat();
    let answer = stage.answer(&args, 1);
    assert_eq!(answer["tool"], Stage::tool(1));
    assert_eq!(answer["transactions"].as_array().unwrap().len(), 1);
    let transcript = stage.transcript(&args);
    assert!(transcript.starts_with("exit code: 1"), "{transcript}");
    let (stdout, stderr) = transcript.split_once("--- stderr ---").unwrap();
    assert!(stdout.contains("erc8257:<ToolRegistry>/2"), "{transcript}");
    assert!(stderr.contains("its gate is not set up"), "{transcript}");
    assert!(stderr.contains("(TooManyCollections)"), "{transcript}");
}

#[test]
fn a_no_to_any_question_sends_nothing_and_says_so() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO).to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny];
    let remove = ["tool", "deregister", &tool];
    for (args, answers) in [(&set[..], "n"), (&remove, "n"), (&remove, "yn")] {
        let output = stage.on_a_terminal(args, answers);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{shown}");
        assert!(shown.contains("declined: nothing was sent"), "{shown}");
        // Nobody is asked about what was not shown.
        let places = ["cost  ", "[y/N]"].map(|words| shown.find(words).unwrap());
        assert!(places[0] < places[1], "{shown}");
        assert_eq!(stage.anvil.nonce(ACCOUNT), before, "{shown}");
    }
    let output = stage.on_a_terminal(&remove, "yy");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stage.anvil.nonce(ACCOUNT), before + 1);
}

#[test]
fn a_place_that_is_taken_and_a_key_that_decides_alone_are_warned_of() {
    // O-10
    let stage = Stage::new();
    stage.serve("oracle", &stage.manifest("oracle"));
    let uri = stage.uri("oracle");
    stage.register(ACCOUNT, &uri, B256::repeat_byte(1));
    // Lent code (EIP-7702): the key decides all the same.
    let lent = format!("0xef0100{}", "11".repeat(20));
    stage.set_code(ACCOUNT.parse().unwrap(), &lent);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let args = [
        "tool",
        "register",
        &uri,
        "--access-predicate",
        &deny,
        "--dry-run",
    ];
    let warnings = stage.answer(&args, 0)["warnings"].to_string();
    for words in [
        "tool 1 of 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 has its manifest at the same place",
        "whoever gets it decides",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
}

#[test]
fn a_transaction_that_is_carried_twice_is_done_once() {
    let stage = Stage::new();
    let tool = stage.register_gated(Address::ZERO).to_string();
    let before = stage.anvil.nonce(ACCOUNT);
    // The first answer is lost, and the node knows the second request's transaction from a block.
    let proxy = Proxy::start(&stage.anvil.url, |asked| match asked.method.as_str() {
        "eth_sendRawTransaction" => Action::Twice,
        _ => Action::Pass,
    });
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny, "--yes"];
    let done = stage.plain_answer(&[&set[..], &["--rpc-url", &proxy.url]].concat(), 0);
    assert_eq!(done["transactions"].as_array().unwrap().len(), 1);
    assert_eq!(stage.anvil.nonce(ACCOUNT), before + 1);
}
