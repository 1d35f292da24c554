//! One anvil, from its start to its end.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
};

use alloy_primitives::{Address, B256, Bytes, Log, U256};
use atr_harness::{Fork, Transaction};
use eyre::{Result, WrapErr, bail, ensure, eyre};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Value, json};

use super::rpc::{self, Rpc};
use crate::{repository::Repository, surroundings};

/// What nobody of ours ever spends.
const PLENTY_OF_ETHER: u64 = u64::MAX;

/// So large that no transaction of ours fills half a block: the base fee stays zero.
const BLOCK_GAS: &str = "1000000000";

/// An anvil of our own: on a port that was free, every account unlocked, one block per transaction, gas for nothing.
/// Killed when dropped.
#[derive(Debug)]
pub(super) struct Anvil {
    process: Child,
    rpc: Rpc,
}

/// What anvil says came of a transaction.
#[derive(Debug)]
pub(super) struct Mined {
    pub(super) succeeded: bool,
    pub(super) gas_used: u64,
    pub(super) created: Option<Address>,
    pub(super) logs: Vec<Log>,
    pub(super) end: End,
}

/// How a call ended, as a node tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Returned(Bytes),
    Reverted(Bytes),
    Halted,
}

/// What an account has: its code, and every slot that is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Account {
    pub(super) code: Bytes,
    pub(super) storage: BTreeMap<U256, U256>,
}

/// Of what anvil dumps, all that tells the state.
#[derive(Deserialize)]
struct Dump {
    accounts: BTreeMap<Address, Account>,
}

impl Anvil {
    /// Starts an empty chain.
    pub(super) fn start(fork: Fork, chain_id: u64, genesis_time: u64) -> Result<Self> {
        let program = Repository::here().program(&surroundings::anvil());
        let mut process = Command::new(&program)
            .args(["--port", "0", "--hardfork", &fork.to_string()])
            .args(["--chain-id", &chain_id.to_string()])
            .args(["--timestamp", &genesis_time.to_string()])
            .args(["--accounts", "1", "--auto-impersonate"])
            .args(["--base-fee", "0", "--gas-price", "0"])
            .args(["--gas-limit", BLOCK_GAS, "--enable-tx-gas-limit"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .wrap_err_with(|| format!("could not start {}: run `make deps`", program.display()))?;
        let stdout = process.stdout.take().expect("it was asked for");
        match listening_port(BufReader::new(stdout)).and_then(Rpc::connect) {
            Ok(rpc) => Ok(Self { process, rpc }),
            Err(error) => {
                end(&mut process);
                Err(error)
            }
        }
    }

    /* ASKING */

    /// All there is on the chain.
    pub(super) fn accounts(&mut self) -> Result<BTreeMap<Address, Account>> {
        let packed: Bytes = rpc::parse(&self.rpc.ask("anvil_dumpState", &json!([]))?)?;
        let mut text = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut text)?;
        let mut dump: Dump = serde_json::from_slice(&text).wrap_err("anvil's dump")?;
        for account in dump.accounts.values_mut() {
            account.storage.retain(|_, value| !value.is_zero());
        }
        Ok(dump.accounts)
    }

    /// What a transaction would return now.
    pub(super) fn try_out(&mut self, transaction: &Transaction) -> Result<End> {
        self.fund(transaction)?;
        let answer = self
            .rpc
            .request("eth_call", &json!([fields(transaction), "latest"]))?;
        let Some(error) = answer.get("error") else {
            return Ok(End::Returned(rpc::parse(&answer["result"])?));
        };
        match (error["code"].as_i64(), &error["data"]) {
            (Some(3), data) => Ok(End::Reverted(rpc::parse(data)?)),
            // Anvil tells a halt in words only; what else it would not run must not pass for one.
            (Some(-32603), Value::Null) if is_halt(error) => Ok(End::Halted),
            _ => Err(eyre!("eth_call: {error}")),
        }
    }

    /* CHANGING */

    pub(super) fn set_next_time(&mut self, seconds: u64) -> Result<()> {
        self.tell("evm_setNextBlockTimestamp", &json!([seconds]))
    }

    pub(super) fn set_chain_id(&mut self, chain_id: u64) -> Result<()> {
        self.tell("anvil_setChainId", &json!([chain_id]))
    }

    pub(super) fn set_code(&mut self, account: Address, code: &Bytes) -> Result<()> {
        self.tell("anvil_setCode", &json!([account, code]))
    }

    pub(super) fn set_storage(&mut self, account: Address, slot: U256, value: U256) -> Result<()> {
        let value = B256::from(value);
        self.tell("anvil_setStorageAt", &json!([account, slot, value]))
    }

    /// Mines a transaction in a block of its own.
    pub(super) fn send(&mut self, transaction: &Transaction) -> Result<Mined> {
        self.fund(transaction)?;
        let mut fields = fields(transaction);
        fields["gasPrice"] = json!(U256::ZERO);
        let receipt = self.rpc.ask("eth_sendTransactionSync", &json!([fields]))?;
        let settings = json!({"tracer": "callTracer", "tracerConfig": {"onlyTopCall": true}});
        let question = json!([receipt["transactionHash"], settings]);
        let frame = self.rpc.ask("debug_traceTransaction", &question)?;
        let logs = receipt["logs"].as_array().map_or(&[][..], Vec::as_slice);
        let succeeded = rpc::parse::<U256>(&receipt["status"])? == U256::from(1);
        Ok(Mined {
            succeeded,
            gas_used: rpc::parse::<U256>(&receipt["gasUsed"])?.saturating_to(),
            created: match &receipt["contractAddress"] {
                Value::Null => None,
                address => Some(rpc::parse(address)?),
            },
            logs: logs.iter().map(log).collect::<Result<_>>()?,
            end: traced_end(succeeded, &frame)?,
        })
    }

    /// Remembers the chain as it is.
    pub(super) fn snapshot(&mut self) -> Result<U256> {
        rpc::parse(&self.rpc.ask("evm_snapshot", &json!([]))?)
    }

    /// Makes the chain what it was. A snapshot serves once.
    pub(super) fn revert(&mut self, snapshot: U256) -> Result<()> {
        let reverted = self.rpc.ask("evm_revert", &json!([snapshot]))?;
        ensure!(reverted == json!(true), "anvil did not go back");
        Ok(())
    }

    /* PARTS */

    /// The chain in memory lets anybody send ether; here it must be had.
    fn fund(&mut self, transaction: &Transaction) -> Result<()> {
        if transaction.value.is_zero() {
            return Ok(());
        }
        let plenty = U256::from(PLENTY_OF_ETHER);
        self.tell("anvil_setBalance", &json!([transaction.from, plenty]))
    }

    fn tell(&mut self, method: &str, parameters: &Value) -> Result<()> {
        self.rpc.ask(method, parameters).map(drop)
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// Nothing is left of it, not even an entry in the process table.
fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}

/// Anvil chooses the port and says so: no other program can take it in between.
fn listening_port(mut output: BufReader<ChildStdout>) -> Result<u16> {
    let mut said = String::new();
    loop {
        let start = said.len();
        if output.read_line(&mut said)? == 0 {
            bail!("anvil ended before it listened; it said:\n{said}");
        }
        if let Some(address) = said[start..].trim().strip_prefix("Listening on ") {
            let port = address.rsplit(':').next().unwrap_or_default();
            let port = port.parse().wrap_err("anvil's address has no port")?;
            // It logs every request, and would wait for a reader.
            thread::spawn(move || io::copy(&mut output, &mut io::sink()));
            return Ok(port);
        }
    }
}

fn fields(transaction: &Transaction) -> Value {
    let mut fields = json!({
        "from": transaction.from,
        "data": transaction.data,
        "gas": U256::from(transaction.gas),
        "value": transaction.value,
    });
    if let Some(to) = transaction.to {
        fields["to"] = json!(to);
    }
    fields
}

fn log(found: &Value) -> Result<Log> {
    let topics = found["topics"].as_array().map_or(&[][..], Vec::as_slice);
    Ok(Log::new_unchecked(
        rpc::parse(&found["address"])?,
        topics.iter().map(rpc::parse).collect::<Result<_>>()?,
        rpc::parse(&found["data"])?,
    ))
}

/// How a mined transaction ended. A frame without output has none of its own.
fn traced_end(succeeded: bool, frame: &Value) -> Result<End> {
    let output = match &frame["output"] {
        Value::Null => Bytes::new(),
        bytes => rpc::parse(bytes)?,
    };
    match frame["error"].as_str() {
        None if succeeded => Ok(End::Returned(output)),
        Some("execution reverted") if !succeeded => Ok(End::Reverted(output)),
        Some(_) if !succeeded => Ok(End::Halted),
        _ => bail!("receipt and trace contradict each other: {frame}"),
    }
}

fn is_halt(error: &Value) -> bool {
    let message = error["message"].as_str().unwrap_or_default();
    message.starts_with("EVM error ") || message.contains("out of gas")
}
