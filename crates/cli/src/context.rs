//! What every command is given.

use crate::{
    config::{Environment, Settings},
    output::Output,
};

/// The settings in force, the door to print through, and the environment for what is no setting: secrets, folders.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
    pub(crate) environment: Environment,
}
