//! The journal of signed transactions. Each is written before it is sent, so no run pays twice.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, B256, Bytes};
use atr_registry::SignedTransaction;
use serde::{Deserialize, Serialize};

use super::{atomic, file_error};
use crate::{Error, Fees};

/// The transactions of one chain that are not yet in a record. Only one process at a time can open it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    chain_id: u64,
    entries: Vec<Entry>,
    /// Released by the operating system when the process ends.
    _lock: File,
}

/// A signed transaction and its replacements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Entry {
    /// Contract name, or another purpose of the transaction.
    pub(crate) contract: String,
    /// Address of the contract; identifies the entry.
    pub(crate) address: Address,
    pub(crate) sender: Address,
    pub(crate) nonce: u64,
    /// The transaction and its replacements, by rising fee. They share the nonce, so at most one can be included.
    pub(crate) attempts: Vec<Attempt>,
}

/// A signed transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Attempt {
    pub(crate) hash: B256,
    pub(crate) raw: Bytes,
    pub(crate) max_fee_per_gas: u128,
    pub(crate) max_priority_fee_per_gas: u128,
}

impl Attempt {
    pub(crate) fn new(signed: SignedTransaction, fees: Fees) -> Self {
        Self {
            hash: signed.hash,
            raw: signed.raw,
            max_fee_per_gas: fees.max_fee_per_gas,
            max_priority_fee_per_gas: fees.max_priority_fee_per_gas,
        }
    }
}

impl Entry {
    /// The attempt with the highest fee.
    pub(crate) fn latest(&self) -> &Attempt {
        self.attempts
            .last()
            .expect("an entry has at least one attempt")
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    chain_id: u64,
    entries: Vec<Entry>,
}

impl Journal {
    /// Opens and locks the journal of a chain in a folder.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, or a file operation fails.
    pub fn open(folder: &Path, chain_id: u64) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(file_error("create", folder))?;
        let lock_path = folder.join(format!(".{chain_id}.lock"));
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(file_error("create", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Busy {
                    chain_id,
                    path: lock_path,
                });
            }
            Err(TryLockError::Error(source)) => return Err(file_error("lock", &lock_path)(source)),
        }

        let path = folder.join(format!(".{chain_id}.journal.json"));
        let entries = match fs::read(&path) {
            Ok(bytes) => Self::parse(&path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(file_error("read", &path)(error)),
        };
        Ok(Self {
            path,
            chain_id,
            entries,
            _lock: lock,
        })
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Entry>, Error> {
        let invalid = |source| Error::InvalidFile {
            path: path.to_owned(),
            what: "deployment journal",
            source,
        };
        let document: Document = serde_json::from_slice(bytes).map_err(invalid)?;
        if document
            .entries
            .iter()
            .any(|entry| entry.attempts.is_empty())
        {
            let source = serde::de::Error::custom("entry without a transaction");
            return Err(invalid(source));
        }
        Ok(document.entries)
    }

    #[cfg(test)]
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The pending transaction for an address.
    pub(crate) fn entry(&self, address: Address) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.address == address)
    }

    /// The lowest nonce of an account above those of its entries.
    pub(crate) fn first_free_nonce(&self, sender: Address) -> u64 {
        let used = self.entries.iter().filter(|entry| entry.sender == sender);
        used.map(|entry| entry.nonce + 1).max().unwrap_or_default()
    }

    /// Writes an entry; the transaction must not be sent before. Replaces an entry with the same address.
    pub(crate) fn put(&mut self, entry: Entry) -> Result<(), Error> {
        let mut entries = self.entries.clone();
        entries.retain(|other| other.address != entry.address);
        entries.push(entry);
        self.save(entries)
    }

    /// Removes an entry that is recorded or can no longer be included.
    pub(crate) fn remove(&mut self, address: Address) -> Result<(), Error> {
        if self.entry(address).is_none() {
            return Ok(());
        }
        let mut entries = self.entries.clone();
        entries.retain(|other| other.address != address);
        self.save(entries)
    }

    fn save(&mut self, entries: Vec<Entry>) -> Result<(), Error> {
        let document = Document {
            chain_id: self.chain_id,
            entries,
        };
        if document.entries.is_empty() {
            match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file_error("remove", &self.path)(error));
                }
                _ => {}
            }
        } else {
            let json =
                serde_json::to_vec_pretty(&document).expect("a journal has string keys only");
            atomic::write(&self.path, &json).map_err(file_error("write", &self.path))?;
        }
        self.entries = document.entries;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(byte: u8, nonce: u64) -> Entry {
        Entry {
            contract: "ToolRegistry".to_owned(),
            address: Address::repeat_byte(byte),
            sender: Address::ZERO,
            nonce,
            attempts: vec![Attempt {
                hash: B256::repeat_byte(byte),
                raw: Bytes::from(vec![byte]),
                max_fee_per_gas: u128::MAX,
                max_priority_fee_per_gas: 1,
            }],
        }
    }

    #[test]
    fn entries_persist_across_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), 1).unwrap();
        journal.put(entry(1, 7)).unwrap();
        journal.put(entry(2, 8)).unwrap();
        journal.put(entry(1, 9)).unwrap();
        drop(journal);

        let mut journal = Journal::open(folder.path(), 1).unwrap();
        assert_eq!(journal.entries(), [entry(2, 8), entry(1, 9)]);
        assert_eq!(journal.first_free_nonce(Address::ZERO), 10);
        assert_eq!(journal.first_free_nonce(Address::repeat_byte(3)), 0);
        journal.remove(Address::repeat_byte(1)).unwrap();
        journal.remove(Address::repeat_byte(2)).unwrap();
        drop(journal);
        assert!(!folder.path().join(".1.journal.json").exists());
    }

    #[test]
    fn locks_one_chain_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let held = Journal::open(folder.path(), 1).unwrap();
        let error = Journal::open(folder.path(), 1).unwrap_err();
        assert!(
            matches!(error, Error::Busy { chain_id: 1, .. }),
            "{error:?}"
        );
        assert!(error.is_retryable());
        Journal::open(folder.path(), 2).unwrap();
        drop(held);
        Journal::open(folder.path(), 1).unwrap();
    }

    #[test]
    fn rejects_an_invalid_journal() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "{}", r#"{"chainId":1,"entries":[],"more":1}"#] {
            fs::write(folder.path().join(".1.journal.json"), text).unwrap();
            let error = Journal::open(folder.path(), 1).unwrap_err();
            assert!(matches!(error, Error::InvalidFile { .. }), "{error:?}");
        }
    }
}
