//! Settings and their sources: flag, environment variable, `atr.toml`, default, in this order of precedence.

mod environment;
mod file;
mod foundry;
pub(crate) mod key;
mod setting;
mod variable;

pub(crate) use environment::Environment;
pub(crate) use file::line_number;
pub(crate) use foundry::Foundry;
pub(crate) use key::{KEYS, Key};
pub(crate) use setting::{Setting, Settings, Source};
pub(crate) use variable::VARIABLES;
