//! Shared state of a command.

use std::{path::PathBuf, time::Duration};

use atr_client::Ledger;

use crate::{
    args::{GlobalArgs, RpcHeader, RpcUrl},
    config::{Environment, Foundry, Settings},
    error::Error,
    output::Output,
};

#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
    /// For values that are not settings: secrets and directories.
    pub(crate) environment: Environment,
    /// Endpoints and keys of the Foundry project around the working directory.
    pub(crate) foundry: Foundry,
    /// Timeout of an RPC request, retries included.
    pub(crate) rpc_timeout: Duration,
    /// For signed transactions; `None` means the RPC URL of the settings.
    pub(crate) send_rpc_url: Option<RpcUrl>,
    /// Headers of RPC requests.
    pub(crate) rpc_headers: Vec<RpcHeader>,
    /// For [`Self::reload`].
    pub(crate) flags: GlobalArgs,
}

impl Context {
    /// The context of the same flags and environment with the current content of the configuration file.
    pub(crate) fn reload(&self) -> Result<Self, Error> {
        let directory = current_directory()?;
        Ok(Self {
            settings: Settings::resolve(&self.flags, &self.environment, &directory)?,
            output: self.output,
            environment: self.environment.clone(),
            foundry: Foundry::new(&directory),
            rpc_timeout: self.rpc_timeout,
            send_rpc_url: self.send_rpc_url.clone(),
            rpc_headers: self.rpc_headers.clone(),
            flags: self.flags.clone(),
        })
    }

    /// Whether `-v` asks for details.
    pub(crate) const fn is_verbose(&self) -> bool {
        self.flags.verbose > 0
    }

    /// Directory of the journals, independent of the working directory: an interrupted command can be continued from anywhere.
    pub(crate) fn journal_folder(&self) -> Result<PathBuf, Error> {
        Ok(self.state_folder()?.join("journal"))
    }

    /// The ledger of payments for tool calls.
    pub(crate) fn ledger(&self) -> Result<Ledger, Error> {
        Ok(Ledger::new(self.state_folder()?.join("ledger.jsonl")))
    }

    /// The database of `atr index`, if no other is named.
    pub(crate) fn index_file(&self) -> Result<PathBuf, Error> {
        Ok(self.state_folder()?.join("index.sqlite"))
    }

    pub(crate) fn state_folder(&self) -> Result<PathBuf, Error> {
        let directory = |name| self.environment.path(name);
        let state = directory("ATR_STATE_DIR")
            .or_else(|| Some(directory("XDG_STATE_HOME")?.join("atr")))
            .or_else(|| Some(directory("HOME")?.join(".local/state/atr")));
        state.ok_or(Error::NoStateFolder)
    }
}

pub(crate) fn current_directory() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })
}
