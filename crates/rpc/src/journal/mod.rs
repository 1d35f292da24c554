//! The journal of signed transactions of one account on one chain. Each is written before it is sent, so no run pays twice.

mod atomic;

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, B256, Bytes};
use serde::{Deserialize, Serialize};

pub use self::atomic::write_atomically;
use crate::{Error, Fees, Wei};

/// The transactions of an account on a chain that are not finished. Only one process at a time can open it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    document: Document,
    /// Released by the operating system when the process ends.
    _lock: File,
}

/// A signed transaction and its replacements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "plain data")]
pub struct Entry {
    /// Hash of recipient, value and call data; identifies the entry. See [`Call::id`](crate::Call::id).
    pub id: B256,
    /// Purpose of the transaction.
    pub description: String,
    /// Whether sending the call again has another effect. Such an entry is kept until its run is finished.
    pub once: bool,
    pub nonce: u64,
    /// The latest block when the nonce was chosen.
    pub block: u64,
    pub gas_limit: u64,
    /// The most that any attempt can cost.
    pub max_cost: Wei,
    /// The transaction and its replacements, by rising fee. They share the nonce, so at most one can be included.
    pub attempts: Vec<Attempt>,
}

/// A signed transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "plain data")]
pub struct Attempt {
    pub hash: B256,
    /// EIP-2718 encoding.
    pub raw: Bytes,
    pub fees: Fees,
}

impl Entry {
    /// The attempt with the highest fee.
    #[must_use]
    pub fn latest(&self) -> &Attempt {
        self.attempts
            .last()
            .expect("an entry has at least one attempt")
    }

    /// Whether one of the attempts has this hash.
    #[must_use]
    pub fn signed(&self, hash: B256) -> bool {
        self.attempts.iter().any(|attempt| attempt.hash == hash)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    chain_id: u64,
    account: Address,
    /// Hash of block 0. A test chain that was started again has the same id but another history.
    genesis: Option<B256>,
    entries: Vec<Entry>,
}

impl Journal {
    /// Opens and locks the journal of an account on a chain. Entries of another chain with the same id are discarded.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, or a file operation fails.
    pub fn open(
        folder: &Path,
        chain_id: u64,
        account: Address,
        genesis: Option<B256>,
    ) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(file_error("create", folder))?;
        let name = format!("{chain_id}-{account:#x}");
        let lock_path = folder.join(format!("{name}.lock"));
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
                    account,
                    chain_id,
                    path: lock_path,
                });
            }
            Err(TryLockError::Error(source)) => return Err(file_error("lock", &lock_path)(source)),
        }

        let path = folder.join(format!("{name}.json"));
        let mut document = match fs::read(&path) {
            Ok(bytes) => parse(&path, &bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Document {
                chain_id,
                account,
                genesis,
                entries: Vec::new(),
            },
            Err(error) => return Err(file_error("read", &path)(error)),
        };
        let is_same_chain = match (document.genesis, genesis) {
            (Some(known), Some(found)) => known == found,
            _ => true,
        };
        if document.account != account || document.chain_id != chain_id {
            let source = serde::de::Error::custom("it belongs to another account or chain");
            return Err(Error::InvalidJournal { path, source });
        }
        if !is_same_chain {
            tracing::warn!(chain_id, "the chain was reset; discarding the journal");
            document.entries.clear();
        }
        document.genesis = genesis.or(document.genesis);
        Ok(Self {
            path,
            document,
            _lock: lock,
        })
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The account whose transactions are recorded.
    #[must_use]
    pub const fn account(&self) -> Address {
        self.document.account
    }

    /// The chain of the transactions.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.document.chain_id
    }

    /// All entries, in the order in which they were signed first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.document.entries
    }

    /// The transaction for a call.
    #[must_use]
    pub fn entry(&self, id: B256) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.id == id)
    }

    /// The lowest nonce above those of the entries.
    pub(crate) fn first_free_nonce(&self) -> u64 {
        let nonces = self.entries().iter().map(|entry| entry.nonce + 1);
        nonces.max().unwrap_or_default()
    }

    /// Writes an entry; the transaction must not be sent before. Replaces an entry with the same id.
    ///
    /// # Errors
    ///
    /// When a file operation fails.
    pub fn put(&mut self, entry: Entry) -> Result<(), Error> {
        let mut entries = self.document.entries.clone();
        match entries.iter_mut().find(|other| other.id == entry.id) {
            Some(other) => *other = entry,
            None => entries.push(entry),
        }
        self.save(entries)
    }

    /// Removes the entry of a call that is finished or can no longer be included.
    ///
    /// # Errors
    ///
    /// When a file operation fails.
    pub fn remove(&mut self, id: B256) -> Result<(), Error> {
        if self.entry(id).is_none() {
            return Ok(());
        }
        let mut entries = self.document.entries.clone();
        entries.retain(|other| other.id != id);
        self.save(entries)
    }

    fn save(&mut self, entries: Vec<Entry>) -> Result<(), Error> {
        let document = Document {
            entries,
            ..self.document.clone()
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
            write_atomically(&self.path, &json).map_err(file_error("write", &self.path))?;
        }
        self.document = document;
        Ok(())
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Document, Error> {
    let invalid = |source| Error::InvalidJournal {
        path: path.to_owned(),
        source,
    };
    let document: Document = serde_json::from_slice(bytes).map_err(invalid)?;
    let entries = &document.entries;
    if entries.iter().any(|entry| entry.attempts.is_empty()) {
        let source = serde::de::Error::custom("entry without a transaction");
        return Err(invalid(source));
    }
    Ok(document)
}

fn file_error(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::File {
        path: path.to_owned(),
        operation,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: Address = Address::repeat_byte(0xaa);

    fn entry(byte: u8, nonce: u64) -> Entry {
        Entry {
            id: B256::repeat_byte(byte),
            description: "registerTool".to_owned(),
            once: true,
            nonce,
            block: 5,
            gas_limit: 21_000,
            max_cost: Wei::for_gas(21_000, u128::MAX),
            attempts: vec![Attempt {
                hash: B256::repeat_byte(byte),
                raw: Bytes::from(vec![byte]),
                fees: Fees {
                    base_fee_per_gas: 1,
                    max_fee_per_gas: u128::MAX,
                    max_priority_fee_per_gas: 1,
                    is_legacy: false,
                },
            }],
        }
    }

    fn open(folder: &Path, chain_id: u64, account: Address) -> Result<Journal, Error> {
        Journal::open(folder, chain_id, account, Some(B256::ZERO))
    }

    #[test]
    fn entries_persist_across_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(folder.path(), 1, ACCOUNT).unwrap();
        journal.put(entry(1, 7)).unwrap();
        journal.put(entry(2, 8)).unwrap();
        journal.put(entry(1, 9)).unwrap();
        drop(journal);

        let mut journal = open(folder.path(), 1, ACCOUNT).unwrap();
        assert_eq!(journal.entries(), [entry(1, 9), entry(2, 8)]);
        assert_eq!(journal.first_free_nonce(), 10);
        journal.remove(entry(1, 0).id).unwrap();
        journal.remove(entry(2, 0).id).unwrap();
        assert_eq!(journal.first_free_nonce(), 0);
        assert!(!journal.path().exists());
    }

    #[test]
    fn accounts_and_chains_have_journals_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(folder.path(), 1, ACCOUNT).unwrap();
        journal.put(entry(1, 7)).unwrap();
        for (chain_id, account) in [(2, ACCOUNT), (1, Address::ZERO)] {
            let other = open(folder.path(), chain_id, account).unwrap();
            assert_eq!(other.entries(), []);
        }
    }

    #[test]
    fn only_one_process_can_open_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let held = open(folder.path(), 1, ACCOUNT).unwrap();
        let error = open(folder.path(), 1, ACCOUNT).unwrap_err();
        assert!(
            matches!(error, Error::Busy { chain_id: 1, .. }),
            "{error:?}"
        );
        assert!(error.is_retryable());
        drop(held);
        open(folder.path(), 1, ACCOUNT).unwrap();
    }

    #[test]
    fn entries_of_a_chain_that_was_reset_are_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(folder.path(), 1, ACCOUNT).unwrap();
        journal.put(entry(1, 7)).unwrap();
        drop(journal);
        let genesis = |genesis| Journal::open(folder.path(), 1, ACCOUNT, genesis).unwrap();
        // A node that does not return block 0 changes nothing.
        assert_eq!(genesis(None).entries().len(), 1);
        assert_eq!(genesis(Some(B256::ZERO)).entries().len(), 1);
        assert_eq!(genesis(Some(B256::repeat_byte(1))).entries().len(), 0);
    }

    #[test]
    fn rejects_an_invalid_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = open(folder.path(), 1, ACCOUNT).unwrap().path().to_owned();
        let other = format!(
            r#"{{"chainId":1,"account":"{}","genesis":null,"entries":[]}}"#,
            Address::ZERO
        );
        let mut empty = entry(1, 0);
        empty.attempts.clear();
        let document = Document {
            chain_id: 1,
            account: ACCOUNT,
            genesis: None,
            entries: vec![empty],
        };
        let without_attempts = serde_json::to_string(&document).unwrap();
        for text in ["", "{}", &other, &without_attempts] {
            fs::write(&path, text).unwrap();
            let error = open(folder.path(), 1, ACCOUNT).unwrap_err();
            assert!(matches!(error, Error::InvalidJournal { .. }), "{error:?}");
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = open(folder.path(), 1, ACCOUNT).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error:?}");
    }

    #[test]
    fn a_journal_that_is_removed_meanwhile_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(folder.path(), 1, ACCOUNT).unwrap();
        journal.put(entry(1, 7)).unwrap();
        fs::remove_file(journal.path()).unwrap();
        journal.remove(entry(1, 0).id).unwrap();
        journal.put(entry(1, 7)).unwrap();
        // A directory cannot be removed like a file.
        fs::remove_file(journal.path()).unwrap();
        fs::create_dir(journal.path()).unwrap();
        let error = journal.remove(entry(1, 0).id).unwrap_err();
        assert!(
            matches!(
                error,
                Error::File {
                    operation: "remove",
                    ..
                }
            ),
            "{error:?}"
        );
        assert_eq!(journal.entries().len(), 1, "nothing is forgotten");
    }
}
