//! The record of deployed contracts: one JSON file per chain.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::Compiler;
use serde::{Deserialize, Serialize};

use super::file_error;
use crate::{Error, FACTORY, Target};

/// A folder with one `<chainId>.json` per chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFolder {
    path: PathBuf,
}

/// The deployed contracts of one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "plain data")]
pub struct Record {
    pub chain_id: u64,
    /// By address: there can be several salts and registries.
    pub contracts: BTreeMap<Address, ContractEntry>,
}

/// One deployed contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "plain data")]
pub struct ContractEntry {
    pub contract: String,
    pub factory: Address,
    pub salt: B256,
    pub init_code_hash: B256,
    /// keccak256 of the deployed code.
    pub runtime_hash: B256,
    /// The constructor argument, if there is one.
    pub registry: Option<Address>,
    /// Block of the deployment; `None` if another account deployed the contract.
    pub block: Option<u64>,
    /// Transaction of the deployment; `None` if another account deployed the contract.
    pub transaction: Option<B256>,
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
    /// The records in a folder, which is created when the first one is written.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of a chain's record.
    #[must_use]
    pub fn file(&self, chain_id: u64) -> PathBuf {
        self.path.join(format!("{chain_id}.json"))
    }

    /// Reads the record of a chain; empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is invalid.
    pub fn read(&self, chain_id: u64) -> Result<Record, Error> {
        let path = self.file(chain_id);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|source| Error::InvalidFile {
                path,
                what: "deployment record",
                source,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Record {
                chain_id,
                contracts: BTreeMap::new(),
            }),
            Err(error) => Err(file_error("read", &path)(error)),
        }
    }

    /// Adds a contract to the record of its chain, unless the record already has the same information.
    pub(crate) fn add(
        &self,
        chain_id: u64,
        address: Address,
        entry: ContractEntry,
    ) -> Result<(), Error> {
        let mut record = self.read(chain_id)?;
        let known = record.contracts.get(&address);
        let is_new = known.is_none_or(|known| {
            // Only the run that deployed the contract knows block and transaction.
            let without = |entry: &ContractEntry| ContractEntry {
                block: None,
                transaction: None,
                ..entry.clone()
            };
            entry.transaction.is_some() && entry != *known || without(&entry) != without(known)
        });
        if !is_new {
            return Ok(());
        }
        record.contracts.insert(address, entry);
        fs::create_dir_all(&self.path).map_err(file_error("create", &self.path))?;
        let mut json = serde_json::to_vec_pretty(&record).expect("a record has string keys only");
        json.push(b'\n');
        let path = self.file(chain_id);
        atr_rpc::write_atomically(&path, &json).map_err(file_error("write", &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Suite;

    #[test]
    fn keeps_block_and_transaction_of_the_deployment() {
        let folder = tempfile::tempdir().unwrap();
        let records = RecordFolder::new(folder.path().join("new"));
        let suite = Suite::new(B256::ZERO);
        let target = &suite.targets()[0];
        let entry = |mined| ContractEntry::new(target, suite.salt(), mined);
        let mined = Some((7, B256::repeat_byte(1)));
        for (given, expected) in [(None, None), (mined, mined), (None, mined)] {
            records.add(1, target.address(), entry(given)).unwrap();
            let record = records.read(1).unwrap();
            assert_eq!(record.contracts[&target.address()], entry(expected));
        }
        assert!(records.read(2).unwrap().contracts.is_empty());
    }

    #[test]
    fn does_not_overwrite_an_invalid_record() {
        let folder = tempfile::tempdir().unwrap();
        let records = RecordFolder::new(folder.path().to_owned());
        fs::write(records.file(1), "{}").unwrap();
        let suite = Suite::new(B256::ZERO);
        let entry = ContractEntry::new(&suite.targets()[0], suite.salt(), None);
        let error = records.add(1, suite.registry(), entry).unwrap_err();
        assert!(matches!(error, Error::InvalidFile { .. }), "{error:?}");
    }
}
