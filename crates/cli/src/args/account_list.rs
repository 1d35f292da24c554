//! A file with accounts, one a line.

use std::{convert::Infallible, fs, path::PathBuf, str::FromStr};

use alloy_primitives::U256;
use atr_registry::Allowlist;

use crate::{args::Account, error::Error};

/// Where the accounts are listed. The file is read when the tool is known.
#[derive(Clone, Debug)]
pub(crate) struct AccountList(PathBuf);

impl FromStr for AccountList {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.into()))
    }
}

impl AccountList {
    /// The list as it is for a tool.
    pub(crate) fn of_tool(&self, tool_id: U256) -> Result<Allowlist, Error> {
        let path = &self.0;
        let text = fs::read_to_string(path).map_err(|source| Error::ReadAccounts {
            path: path.clone(),
            source,
        })?;
        let mut accounts = Vec::new();
        for (place, line) in text.lines().enumerate() {
            let account = line.split('#').next().unwrap_or_default().trim();
            if account.is_empty() {
                continue;
            }
            let Account(account) = account.parse().map_err(|reason| Error::AccountLine {
                path: path.clone(),
                line: place + 1,
                reason,
            })?;
            accounts.push(account);
        }
        Allowlist::try_new(tool_id, accounts)
            .ok_or_else(|| Error::NoAccounts { path: path.clone() })
    }
}
