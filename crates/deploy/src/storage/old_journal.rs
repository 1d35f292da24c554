//! The journal of version 0.1: one file per chain in the folder of the records, for all accounts.

use std::{fs, io, path::Path};

use alloy::{
    consensus::{Transaction as _, TxEnvelope},
    eips::eip2718::Decodable2718,
};
use alloy_primitives::{Address, B256, Bytes};
use atr_rpc::{Attempt, Call, Entry, Fees, Journal, Wei, write_atomically};
use serde::{Deserialize, Serialize};

use super::file_error;
use crate::Error;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldJournal {
    chain_id: u64,
    entries: Vec<OldEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldEntry {
    contract: String,
    address: Address,
    sender: Address,
    nonce: u64,
    attempts: Vec<OldAttempt>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldAttempt {
    hash: B256,
    raw: Bytes,
    max_fee_per_gas: u128,
    max_priority_fee_per_gas: u128,
}

/// Moves the transactions of the journal's account. Those of other accounts stay. `head` is the latest block.
pub(crate) fn import_old_journal(
    folder: &Path,
    journal: &mut Journal,
    head: u64,
) -> Result<(), Error> {
    let path = folder.join(format!(".{}.journal.json", journal.chain_id()));
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(file_error("read", &path)(error)),
    };
    let invalid = |source| Error::InvalidFile {
        path: path.clone(),
        what: "deployment journal",
        source,
    };
    let mut old: OldJournal = serde_json::from_slice(&bytes).map_err(invalid)?;
    let account = journal.account();
    let (own, others) = old
        .entries
        .into_iter()
        .partition(|entry| entry.sender == account);
    let own: Vec<OldEntry> = own;
    old.entries = others;
    for entry in own {
        let entry = entry.convert(head).map_err(invalid)?;
        if journal.entry(entry.id).is_none() {
            journal.put(entry)?;
        }
    }
    // After the entries are in the new journal.
    if old.entries.is_empty() {
        fs::remove_file(&path).map_err(file_error("remove", &path))
    } else {
        let json = serde_json::to_vec_pretty(&old).expect("a journal has string keys only");
        write_atomically(&path, &json).map_err(file_error("write", &path))
    }
}

impl OldEntry {
    fn convert(self, head: u64) -> Result<Entry, serde_json::Error> {
        let invalid = || serde::de::Error::custom("invalid transaction");
        let latest = self.attempts.last().ok_or_else(invalid)?;
        let transaction =
            TxEnvelope::decode_2718(&mut latest.raw.as_ref()).map_err(|_| invalid())?;
        let call = Call {
            to: transaction.to().ok_or_else(invalid)?,
            value: Wei(transaction.value()),
            data: transaction.input().clone(),
            description: self.contract,
        };
        let gas_limit = transaction.gas_limit();
        Ok(Entry {
            id: call.id(),
            once: true,
            nonce: self.nonce,
            block: head,
            gas_limit,
            max_cost: Wei::for_gas(gas_limit, latest.max_fee_per_gas).saturating_add(call.value),
            attempts: self.attempts.into_iter().map(Into::into).collect(),
            description: call.description,
        })
    }
}

impl From<OldAttempt> for Attempt {
    fn from(old: OldAttempt) -> Self {
        Self {
            hash: old.hash,
            raw: old.raw,
            fees: Fees {
                base_fee_per_gas: 0,
                max_fee_per_gas: old.max_fee_per_gas,
                max_priority_fee_per_gas: old.max_priority_fee_per_gas,
                is_legacy: false,
            },
        }
    }
}
