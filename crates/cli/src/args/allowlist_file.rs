//! Allowlist file argument.

use std::{convert::Infallible, fmt, fs, path::PathBuf, str::FromStr};

use alloy_primitives::{Address, U256};
use atr_registry::predicates::merkle_allowlist::Allowlist;

use crate::{args::AddressArg, error::Error};

/// Path of a file with one account per line; `#` starts a comment. Read when the tool id is known, because leaves contain it.
#[derive(Clone, Debug)]
pub(crate) struct AllowlistFile(PathBuf);

impl FromStr for AllowlistFile {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.into()))
    }
}

impl fmt::Display for AllowlistFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

impl From<&str> for AllowlistFile {
    fn from(path: &str) -> Self {
        Self(path.into())
    }
}

impl AllowlistFile {
    /// The tree for a tool.
    pub(crate) fn load(&self, tool_id: U256) -> Result<Allowlist, Error> {
        Self::load_all(std::slice::from_ref(self), tool_id)
    }

    /// The tree of all lists for a tool.
    pub(crate) fn load_all(lists: &[Self], tool_id: U256) -> Result<Allowlist, Error> {
        let accounts = Self::all_accounts(lists)?;
        Allowlist::try_new(tool_id, accounts).ok_or_else(|| Error::EmptyAllowlist {
            path: lists.first().map(|list| list.0.clone()).unwrap_or_default(),
        })
    }

    /// The accounts of all lists, with duplicates.
    pub(crate) fn all_accounts(lists: &[Self]) -> Result<Vec<Address>, Error> {
        let mut accounts = Vec::new();
        for list in lists {
            accounts.extend(list.accounts()?);
        }
        Ok(accounts)
    }

    /// The accounts in the order of the file, with duplicates.
    pub(crate) fn accounts(&self) -> Result<Vec<Address>, Error> {
        let path = &self.0;
        let text = fs::read_to_string(path).map_err(|source| Error::ReadAllowlist {
            path: path.clone(),
            source,
        })?;
        let mut accounts = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let account = line.split('#').next().unwrap_or_default().trim();
            if account.is_empty() {
                continue;
            }
            let AddressArg(account) = account.parse().map_err(|reason| Error::AllowlistLine {
                path: path.clone(),
                line: index + 1,
                reason,
            })?;
            accounts.push(account);
        }
        Ok(accounts)
    }
}
