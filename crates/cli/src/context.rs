//! Shared state of a command.

use std::{path::PathBuf, time::Duration};

use atr_client::Ledger;

use crate::{
    args::{RpcHeader, RpcUrl},
    config::{Environment, Foundry, Settings},
    error::Error,
    output::Output,
};

#[derive(Debug)]
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
}

impl Context {
    /// Directory of the journals, independent of the working directory: an interrupted command can be continued from anywhere.
    pub(crate) fn journal_folder(&self) -> Result<PathBuf, Error> {
        Ok(self.state_folder()?.join("journal"))
    }

    /// The ledger of payments for tool calls.
    pub(crate) fn ledger(&self) -> Result<Ledger, Error> {
        Ok(Ledger::new(self.state_folder()?.join("ledger.jsonl")))
    }

    fn state_folder(&self) -> Result<PathBuf, Error> {
        let directory = |name| self.environment.path(name);
        let state = directory("ATR_STATE_DIR")
            .or_else(|| Some(directory("XDG_STATE_HOME")?.join("atr")))
            .or_else(|| Some(directory("HOME")?.join(".local/state/atr")));
        state.ok_or(Error::NoStateFolder)
    }
}
