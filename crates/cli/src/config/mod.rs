//! The settings in force: flag before environment before `atr.toml` before default, each with its source.

mod environment;
mod file;
pub(crate) mod key;
mod setting;

pub(crate) use environment::Environment;
pub(crate) use key::{KEYS, Key};
pub(crate) use setting::{Settings, Source};
