//! An anvil node and the RPC requests of a replay.

use std::{collections::BTreeMap, io::Read};

use alloy_primitives::{Address, B256, Bytes, Log, U256};
use atr_harness::{Fork, Transaction};
use atr_loopback::Anvil;
use eyre::{Result, WrapErr, bail, ensure, eyre};
use flate2::read::GzDecoder;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Far more than any transaction sends.
const BALANCE: u64 = u64::MAX;

/// Large enough that no transaction fills half a block: the base fee stays zero.
const BLOCK_GAS: &str = "1000000000";

/// Anvil with every account unlocked, one block per transaction and a gas price of zero.
#[derive(Debug)]
pub(super) struct Node(Anvil);

/// The receipt and the top call frame of a transaction.
#[derive(Debug)]
pub(super) struct Mined {
    pub(super) succeeded: bool,
    pub(super) gas_used: u64,
    pub(super) created: Option<Address>,
    pub(super) logs: Vec<Log>,
    pub(super) outcome: NodeOutcome,
}

/// The outcome of a call, as far as a node reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeOutcome {
    Returned(Bytes),
    Reverted(Bytes),
    Halted,
}

/// The code and the non-zero storage of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Account {
    pub(super) code: Bytes,
    pub(super) storage: BTreeMap<U256, U256>,
}

/// The part of anvil's state dump that is compared.
#[derive(Deserialize)]
struct Dump {
    accounts: BTreeMap<Address, Account>,
}

impl Node {
    /// Starts an empty chain.
    pub(super) fn start(fork: Fork, chain_id: u64, genesis_time: u64) -> Self {
        Self(Anvil::start_with(&[
            "--hardfork",
            &fork.to_string(),
            "--chain-id",
            &chain_id.to_string(),
            "--timestamp",
            &genesis_time.to_string(),
            "--accounts",
            "1",
            "--auto-impersonate",
            "--base-fee",
            "0",
            "--gas-price",
            "0",
            "--gas-limit",
            BLOCK_GAS,
            "--enable-tx-gas-limit",
        ]))
    }

    /* READS */

    /// All accounts of the chain.
    pub(super) fn accounts(&self) -> Result<BTreeMap<Address, Account>> {
        let packed: Bytes = parse(&self.result("anvil_dumpState", &json!([]))?)?;
        let mut text = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut text)?;
        let mut dump: Dump = serde_json::from_slice(&text).wrap_err("anvil_dumpState")?;
        for account in dump.accounts.values_mut() {
            account.storage.retain(|_, value| !value.is_zero());
        }
        Ok(dump.accounts)
    }

    /// `eth_call`.
    pub(super) fn simulate(&self, transaction: &Transaction) -> Result<NodeOutcome> {
        self.fund(transaction)?;
        let response = self.request("eth_call", &json!([fields(transaction), "latest"]))?;
        let Some(error) = response.get("error") else {
            return Ok(NodeOutcome::Returned(parse(&response["result"])?));
        };
        match (error["code"].as_i64(), &error["data"]) {
            (Some(3), data) => Ok(NodeOutcome::Reverted(parse(data)?)),
            // Anvil reports a halt only in its message. Other errors must not count as a halt.
            (Some(-32603), Value::Null) if is_halt(error) => Ok(NodeOutcome::Halted),
            _ => Err(eyre!("eth_call: {error}")),
        }
    }

    /* WRITES */

    pub(super) fn set_next_time(&self, seconds: u64) -> Result<()> {
        self.execute("evm_setNextBlockTimestamp", &json!([seconds]))
    }

    pub(super) fn set_chain_id(&self, chain_id: u64) -> Result<()> {
        self.execute("anvil_setChainId", &json!([chain_id]))
    }

    pub(super) fn set_code(&self, account: Address, code: &Bytes) -> Result<()> {
        self.execute("anvil_setCode", &json!([account, code]))
    }

    pub(super) fn set_storage(&self, account: Address, slot: U256, value: U256) -> Result<()> {
        let value = B256::from(value);
        self.execute("anvil_setStorageAt", &json!([account, slot, value]))
    }

    /// Mines a transaction in a block of its own.
    pub(super) fn send(&self, transaction: &Transaction) -> Result<Mined> {
        self.fund(transaction)?;
        let mut fields = fields(transaction);
        fields["gasPrice"] = json!(U256::ZERO);
        let receipt = self.result("eth_sendTransactionSync", &json!([fields]))?;
        let settings = json!({"tracer": "callTracer", "tracerConfig": {"onlyTopCall": true}});
        let params = json!([receipt["transactionHash"], settings]);
        let frame = self.result("debug_traceTransaction", &params)?;
        let logs = receipt["logs"].as_array().map_or(&[][..], Vec::as_slice);
        let succeeded = parse::<U256>(&receipt["status"])? == U256::from(1);
        Ok(Mined {
            succeeded,
            gas_used: parse::<U256>(&receipt["gasUsed"])?.saturating_to(),
            created: match &receipt["contractAddress"] {
                Value::Null => None,
                address => Some(parse(address)?),
            },
            logs: logs.iter().map(log).collect::<Result<_>>()?,
            outcome: traced_outcome(succeeded, &frame)?,
        })
    }

    /// Takes a snapshot.
    pub(super) fn snapshot(&self) -> Result<U256> {
        parse(&self.result("evm_snapshot", &json!([]))?)
    }

    /// Reverts to a snapshot, which can be used once.
    pub(super) fn revert(&self, snapshot: U256) -> Result<()> {
        let reverted = self.result("evm_revert", &json!([snapshot]))?;
        ensure!(
            reverted == json!(true),
            "anvil did not revert to the snapshot"
        );
        Ok(())
    }

    /* HELPERS */

    /// The in-memory chain does not check balances; anvil does.
    fn fund(&self, transaction: &Transaction) -> Result<()> {
        if transaction.value.is_zero() {
            return Ok(());
        }
        let balance = U256::from(BALANCE);
        self.execute("anvil_setBalance", &json!([transaction.from, balance]))
    }

    fn execute(&self, method: &str, params: &Value) -> Result<()> {
        self.result(method, params).map(drop)
    }

    /// The result of a request; a JSON-RPC error is an error.
    fn result(&self, method: &str, params: &Value) -> Result<Value> {
        let mut response = self.request(method, params)?;
        if let Some(error) = response.get("error") {
            bail!("{method}: {error}");
        }
        Ok(response["result"].take())
    }

    /// The whole response, a result or an error.
    fn request(&self, method: &str, params: &Value) -> Result<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params});
        let response = atr_loopback::post(&self.0.url, body.to_string().as_bytes());
        serde_json::from_slice(&response).wrap_err_with(|| format!("{method} {params}"))
    }
}

fn parse<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value).wrap_err_with(|| format!("unexpected value from anvil: {value}"))
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
        parse(&found["address"])?,
        topics.iter().map(parse).collect::<Result<_>>()?,
        parse(&found["data"])?,
    ))
}

/// The outcome of a mined transaction. A frame without output has empty output.
fn traced_outcome(succeeded: bool, frame: &Value) -> Result<NodeOutcome> {
    let output = match &frame["output"] {
        Value::Null => Bytes::new(),
        bytes => parse(bytes)?,
    };
    match frame["error"].as_str() {
        None if succeeded => Ok(NodeOutcome::Returned(output)),
        Some("execution reverted") if !succeeded => Ok(NodeOutcome::Reverted(output)),
        Some(_) if !succeeded => Ok(NodeOutcome::Halted),
        _ => bail!("receipt and trace differ: {frame}"),
    }
}

fn is_halt(error: &Value) -> bool {
    let message = error["message"].as_str().unwrap_or_default();
    message.starts_with("EVM error ") || message.contains("out of gas")
}
