use std::process::{Command, Output};

use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::ERC721OwnerPredicate::setCollections_1Call;
use atr_loopback::{ACCOUNT, Action, RpcProxy};
use serde_json::{Value, json};

use crate::{
    access::RETURNS_ONE,
    fixture::{Fixture, address_of},
};

/// Python script that runs a command on a pseudo-terminal and answers its prompts in order. Prints what was shown, and whether the
/// terminal echoed input while the last prompt waited and after the command.
const TERMINAL: &str = r"
import os, pty, sys, termios
prompt, answers = sys.argv[1].encode(), sys.argv[2].split(',')
pid, line = pty.fork()
if pid == 0:
    os.execv(sys.argv[3], sys.argv[3:])
def echoes():
    return bool(termios.tcgetattr(line)[3] & termios.ECHO)
shown, asked, during = b'', 0, None
before = echoes()
while True:
    try:
        piece = os.read(line, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if shown.count(prompt) > asked and answers:
        asked = shown.count(prompt)
        during = echoes()
        os.write(line, answers.pop(0).replace('^C', '\x03').encode())
status = os.waitpid(pid, 0)[1]
sys.stdout.buffer.write(shown)
print('echo:', before, during, echoes())
sys.exit(os.WTERMSIG(status) + 128 if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status))
";

impl Fixture {
    /// Runs a command on a terminal and types these answers, comma-separated, one at each `[y/N]`.
    fn run_on_terminal(&self, args: &[&str], answers: &str) -> Output {
        self.answer_on_terminal(args, "[y/N]", answers)
    }

    fn answer_on_terminal(&self, args: &[&str], prompt: &str, answers: &str) -> Output {
        let command = self.atr.command(args);
        let mut terminal = Command::new("python3");
        terminal.args(["-c", TERMINAL, prompt, answers]);
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
        self.anvil.request("anvil_setBalance", params);
    }
}

fn number(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn prints_blockers_with_the_plan() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny];
    let low_fee = [&set[..], &["--max-fee-per-gas", "1wei"]].concat();
    let assert_blocked = |args: &[&str], message: &str| {
        for mode in ["--dry-run", "--yes"] {
            let args = [args, &[mode]].concat();
            let transcript = fixture.plain_transcript(&args);
            assert!(transcript.starts_with("exit code: 1\n"), "{transcript}");
            assert!(transcript.contains("error: "), "{transcript}");
            assert!(transcript.contains(message), "{transcript}");
            let report = fixture.plain_json(&args, 1);
            assert_eq!(report["blockers"].as_array().unwrap().len(), 1, "{report}");
        }
    };
    assert_blocked(
        &low_fee,
        "but its limit is 0.000000001 gwei; raise --max-fee-per-gas",
    );
    let low_cost = [&set[..], &["--max-cost", "1wei"]].concat();
    assert_blocked(&low_cost, "of the maximum cost is left");
    fixture.set_balance(U256::ZERO);
    assert_blocked(
        &set,
        " ETH is needed for setAccessPredicate for tool 1; fund the account",
    );
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
}

#[test]
fn the_plan_includes_the_cost_of_follow_up_transactions() {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let (uri, collection) = (
        fixture.uri("oracle"),
        Address::repeat_byte(0x72).to_string(),
    );
    let register = ["tool", "register", &uri, "--nft-gate", &collection];
    // The predicate would reject the collection after the registration.
    let before = fixture.anvil.nonce(ACCOUNT);
    let missing = fixture.transcript(&[&register[..], &["--yes"]].concat());
    assert!(missing.contains("no contract at 0x7272"), "{missing}");
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    fixture.set_code(Address::repeat_byte(0x72), RETURNS_ONE);
    let dry_run = [&register[..], &["--dry-run"]].concat();
    let plan = fixture.json(&dry_run, 0);
    let first = number(&plan["planned"][0]["maxCost"]);
    let second = number(&plan["followUps"][0]["maxCost"]);
    assert!(!second.is_zero());
    // Enough for the first transaction only.
    fixture.set_balance(first + second / U256::from(2));
    let plan = fixture.json(&dry_run, 1);
    let blocker = plan["blockers"][0].as_str().unwrap();
    assert!(blocker.contains("all transactions"), "{blocker}");
    let before = fixture.anvil.nonce(ACCOUNT);
    fixture.json(&[&register[..], &["--yes"]].concat(), 1);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    fixture.set_balance(U256::from(10).pow(U256::from(18)));
    let done = fixture.json(&[&register[..], &["--yes"]].concat(), 0);
    let used = done["transactions"][1]["gasUsed"].as_u64().unwrap();
    assert!(
        used <= plan["followUps"][0]["gas"].as_u64().unwrap(),
        "{done}"
    );
}

#[test]
fn prints_the_tool_id_if_configuring_the_predicate_fails() {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    fixture.set_code(Address::repeat_byte(0x72), RETURNS_ONE);
    // The node rejects the configuration, but not the simulation before the registration.
    let predicate = format!("{:#x}", address_of("ERC721OwnerPredicate"));
    let proxy = RpcProxy::start(&fixture.anvil.url, move |request| {
        let call = &request.params[0];
        let data = call["input"].as_str().unwrap_or_default();
        let is_configuration = call["to"].as_str() == Some(&predicate)
            && data.starts_with(&hex::encode_prefixed(setCollections_1Call::SELECTOR));
        match request.method.as_str() {
            "eth_call" if is_configuration => Action::Fail("execution reverted"),
            _ => Action::Forward,
        }
    });
    let gate = "erc721:0x7272727272727272727272727272727272727272";
    let register = ["tool", "register", &uri, "--yes", "--gate", gate];
    let args = [&register[..], &["--rpc-url", &proxy.url]].concat();
    let report = fixture.json(&args, 1);
    assert_eq!(report["tool"], Fixture::tool(1));
    assert_eq!(report["transactions"].as_array().unwrap().len(), 1);
    let transcript = fixture.transcript(&args);
    assert!(transcript.starts_with("exit code: 1"), "{transcript}");
    let (stdout, stderr) = transcript.split_once("--- stderr ---").unwrap();
    assert!(stdout.contains("erc8257:<ToolRegistry>/2"), "{transcript}");
    let advice = format!(
        "its gate is not configured; run `atr tool set-predicate eip155:31337/erc8257:<ToolRegistry>/2 --gate '{gate}'`"
    );
    assert!(stderr.contains(&advice), "{transcript}");
    // The advice completes the registration.
    fixture.plain_json(&["tool", "set-predicate", "2", "--gate", gate, "--yes"], 0);
    let check = fixture.plain_json(&["access", "check", "2", ACCOUNT], 0);
    assert_eq!(check["access"], "granted");
}

#[test]
fn declining_a_prompt_sends_nothing() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny];
    let deregister = ["tool", "deregister", &tool];
    for (args, answers) in [
        (&set[..], "n\n"),
        (&set, "\n"),
        (&set, "maybe\n,what\n,?\n"),
        // What is typed before a prompt does not answer it.
        (&set, "maybe\ny\n,n\n"),
        (&deregister, "y\n"),
        (&deregister, "\n"),
        (&deregister, "2\n"),
    ] {
        let prompt = if args == set { "[y/N]" } else { "type its id:" };
        let output = fixture.answer_on_terminal(args, prompt, answers);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{shown}");
        assert!(shown.contains("declined: nothing was sent"), "{shown}");
        // The plan is printed before the prompt.
        let positions = ["cost  ", prompt].map(|message| shown.find(message).unwrap());
        assert!(positions[0] < positions[1], "{shown}");
        assert_eq!(fixture.anvil.nonce(ACCOUNT), before, "{shown}");
    }
    let typed = format!("{tool}\n");
    let output = fixture.answer_on_terminal(&deregister, "type its id:", &typed);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
}

#[test]
fn opening_a_gated_tool_needs_an_explicit_yes() {
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    let register = [
        "tool",
        "register",
        &uri,
        "--access-predicate",
        "always-deny",
    ];
    fixture.json(&[&register[..], &["--yes"]].concat(), 0);
    let open = ["tool", "set-predicate", "1", "open"];
    let output = fixture.run_on_terminal(&open, "n\n");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        shown.contains("warning: every account gets access to the tool"),
        "{shown}"
    );
    assert!(
        shown.contains("Open tool 1 (oracle) to everyone? [y/N]"),
        "{shown}"
    );
    let plan = fixture.plain_transcript(&[&open[..], &["--dry-run"]].concat());
    assert!(plan.contains("AlwaysDenyPredicate at "), "{plan}");
    assert!(plan.contains("warning: every account"), "{plan}");
    let quiet = fixture.plain_transcript(&[&open[..], &["--dry-run", "--quiet"]].concat());
    assert!(!quiet.contains("warning:"), "{quiet}");
    // The plan shows the cost, not the limit.
    let limited = [&open[..], &["--dry-run", "--max-cost", "1gwei"]].concat();
    let output = fixture.atr.output(&limited);
    let limited = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{limited}");
    assert!(
        !limited.contains("at most 0.000000001 ETH with"),
        "{limited}"
    );
    assert!(
        limited.contains("but only 0.000000001 ETH of the maximum cost is left"),
        "{limited}"
    );
    fixture.plain_json(&[&open[..], &["--yes"]].concat(), 0);
    // Nothing changes, so nothing is opened.
    let again = fixture.plain_json(&[&open[..], &["--yes"]].concat(), 0);
    assert_eq!(again["warnings"], json!([]));
}

#[test]
fn ctrl_c_restores_the_terminal() {
    let fixture = Fixture::new();
    fixture.register_gated(Address::ZERO);
    let before = fixture.anvil.nonce(ACCOUNT);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", "1", &deny];
    let with_key = [&set[..], &["--interactive"]].concat();
    for (args, prompt, answers, echo) in [
        (&set[..], "[y/N]", "^C", "echo: True True True"),
        (&with_key, "Private key:", "^C", "echo: True False True"),
        (&with_key, "Private key:", "0x12^C", "echo: True False True"),
    ] {
        let output = fixture.answer_on_terminal(args, prompt, answers);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(128 + 2), "{shown}");
        assert!(shown.trim_end().ends_with(echo), "{shown}");
    }
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before);
    // A key is not echoed; backspace and Ctrl-U work.
    let answers = format!("wrong\u{15}{}x\u{7f}\n", atr_loopback::KEY);
    let yes = [&with_key[..], &["--yes"]].concat();
    let output = fixture.answer_on_terminal(&yes, "Private key:", &answers);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shown}");
    assert!(!shown.contains("ac0974"), "{shown}");
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
}

#[test]
fn warns_about_duplicate_manifest_urls_and_eoa_creators() {
    // O-10
    let fixture = Fixture::new();
    fixture.serve("oracle", &fixture.manifest("oracle"));
    let uri = fixture.uri("oracle");
    fixture.register(ACCOUNT, &uri, B256::repeat_byte(1));
    // An EOA with EIP-7702 delegation.
    let delegation = format!("0xef0100{}", "11".repeat(20));
    fixture.set_code(ACCOUNT.parse().unwrap(), &delegation);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let args = [
        "tool",
        "register",
        &uri,
        "--access-predicate",
        &deny,
        "--dry-run",
    ];
    let warnings = fixture.json(&args, 0)["warnings"].to_string();
    for message in [
        "tool 1 of 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 has the same manifest URL",
        "is an EOA",
    ] {
        assert!(warnings.contains(message), "{warnings}");
    }
}

#[test]
fn a_duplicated_send_request_is_executed_once() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let before = fixture.anvil.nonce(ACCOUNT);
    // The first response is lost, and the transaction is already mined when the second request arrives.
    let proxy = RpcProxy::start(&fixture.anvil.url, |request| {
        match request.method.as_str() {
            "eth_sendRawTransaction" => Action::ForwardTwice,
            _ => Action::Forward,
        }
    });
    let deny = address_of("AlwaysDenyPredicate").to_string();
    let set = ["tool", "set-predicate", &tool, &deny, "--yes"];
    let done = fixture.plain_json(&[&set[..], &["--rpc-url", &proxy.url]].concat(), 0);
    assert_eq!(done["transactions"].as_array().unwrap().len(), 1);
    assert_eq!(fixture.anvil.nonce(ACCOUNT), before + 1);
}

#[test]
fn several_nodes_a_relay_and_headers_can_be_configured() {
    let fixture = Fixture::new();
    let tool = fixture.register_gated(Address::ZERO).to_string();
    let reads = RpcProxy::start(&fixture.anvil.url, |_| Action::Forward);
    let relay = RpcProxy::start(&fixture.anvil.url, |_| Action::Forward);
    let deny = address_of("AlwaysDenyPredicate").to_string();
    // Nothing listens on the first URL.
    let urls = format!("http://127.0.0.1:1,{}", reads.url);
    let args = [
        "tool",
        "set-predicate",
        &tool,
        &deny,
        "--yes",
        "--rpc-url",
        &urls,
        "--send-rpc-url",
        &relay.url,
        "--rpc-header",
        "X-Api-Key: secret",
    ];
    fixture.plain_json(&args, 0);
    assert!(!reads.counts().contains_key("eth_sendRawTransaction"));
    assert_eq!(relay.methods(), ["eth_sendRawTransaction"]);
    let key = ("x-api-key".to_owned(), "secret".to_owned());
    for request in [reads.requests(), relay.requests()].concat() {
        assert!(request.headers.contains(&key), "{request:?}");
    }
}
