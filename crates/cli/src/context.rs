//! What every command is given.

use crate::{config::Settings, output::Output};

/// The settings in force and the door to print through.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
}
