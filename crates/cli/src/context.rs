//! Shared state of a command.

use std::time::Duration;

use crate::{
    config::{Environment, Settings},
    output::Output,
};

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
    /// For values that are not settings: secrets and directories.
    pub(crate) environment: Environment,
    /// Timeout of an RPC request.
    pub(crate) rpc_timeout: Duration,
}
