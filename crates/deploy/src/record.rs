//! What is live on a chain: one file per chain, for people and programs to read.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::Compiler;
use serde::{Deserialize, Serialize};

use crate::{Error, FACTORY, Target, atomic, journal::cannot};

/// A folder with one `<chainId>.json` per chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFolder {
    path: PathBuf,
}

/// What is live on one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Record {
    /// The chain.
    pub chain_id: u64,
    /// The contracts by address, so that several salts and registries have room beside each other.
    pub contracts: BTreeMap<Address, ContractEntry>,
}

/// One contract that is live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContractEntry {
    /// Its name.
    pub contract: String,
    /// The factory that made it.
    pub factory: Address,
    /// The salt.
    pub salt: B256,
    /// What the address follows from, together with the two above.
    pub init_code_hash: B256,
    /// Hash of the code that is there.
    pub runtime_hash: B256,
    /// The registry its constructor was given, if it takes one.
    pub registry: Option<Address>,
    /// The block it was deployed in; not known if somebody else did it.
    pub block: Option<u64>,
    /// The transaction that deployed it; not known if somebody else did it.
    pub transaction: Option<B256>,
    /// What compiled it, and how.
    pub compiler: Compiler,
}

impl ContractEntry {
    pub(crate) fn new(target: &Target, salt: B256, mined: Option<(u64, B256)>) -> Self {
        Self {
            contract: target.name().to_owned(),
            factory: FACTORY,
            salt,
            init_code_hash: target.init_code_hash(),
            runtime_hash: keccak256(target.runtime()),
            registry: target.registry(),
            block: mined.map(|(block, _)| block),
            transaction: mined.map(|(_, transaction)| transaction),
            compiler: target.code().build().compiler().clone(),
        }
    }
}

impl RecordFolder {
    /// The records in a folder; it is made when the first one is written.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of a chain.
    #[must_use]
    pub fn file(&self, chain_id: u64) -> PathBuf {
        self.path.join(format!("{chain_id}.json"))
    }

    /// The record of a chain; empty when there is none yet.
    ///
    /// # Errors
    ///
    /// When there is one and it cannot be read or is not one.
    pub fn read(&self, chain_id: u64) -> Result<Record, Error> {
        let path = self.file(chain_id);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|source| Error::NotUnderstood {
                path,
                what: "record of deployments",
                source,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Record {
                chain_id,
                contracts: BTreeMap::new(),
            }),
            Err(error) => Err(cannot("read", &path)(error)),
        }
    }

    /// Adds a contract to the record of its chain, unless the record knows as much already.
    pub(crate) fn add(
        &self,
        chain_id: u64,
        address: Address,
        entry: ContractEntry,
    ) -> Result<(), Error> {
        let mut record = self.read(chain_id)?;
        let known = record.contracts.get(&address);
        let is_news = known.is_none_or(|known| {
            // Block and transaction are known to whoever deployed; a later look cannot tell them.
            let without = |entry: &ContractEntry| ContractEntry {
                block: None,
                transaction: None,
                ..entry.clone()
            };
            entry.transaction.is_some() && entry != *known || without(&entry) != without(known)
        });
        if !is_news {
            return Ok(());
        }
        record.contracts.insert(address, entry);
        fs::create_dir_all(&self.path).map_err(cannot("made", &self.path))?;
        let mut json = serde_json::to_vec_pretty(&record).expect("a record has string keys only");
        json.push(b'\n');
        let path = self.file(chain_id);
        atomic::write(&path, &json).map_err(cannot("written", &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Suite;

    #[test]
    fn keeps_what_only_the_deployer_knows() {
        let folder = tempfile::tempdir().unwrap();
        let records = RecordFolder::new(folder.path().join("new"));
        let suite = Suite::new(B256::ZERO);
        let target = &suite.targets()[0];
        let entry = |mined| ContractEntry::new(target, suite.salt(), mined);
        let mined = Some((7, B256::repeat_byte(1)));
        for (given, kept) in [(None, None), (mined, mined), (None, mined)] {
            records.add(1, target.address(), entry(given)).unwrap();
            let record = records.read(1).unwrap();
            assert_eq!(record.contracts[&target.address()], entry(kept));
        }
        assert!(records.read(2).unwrap().contracts.is_empty());
    }

    #[test]
    fn a_file_that_is_no_record_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let records = RecordFolder::new(folder.path().to_owned());
        fs::write(records.file(1), "{}").unwrap();
        let suite = Suite::new(B256::ZERO);
        let entry = ContractEntry::new(&suite.targets()[0], suite.salt(), None);
        let error = records.add(1, suite.registry(), entry).unwrap_err();
        assert!(matches!(error, Error::NotUnderstood { .. }), "{error:?}");
    }
}
