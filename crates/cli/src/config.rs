//! The settings in force: flag before environment before `atr.toml` before default, each with its source.

mod file;
mod key;
mod report;
mod setting;

pub(crate) use key::{KEYS, Key};
pub(crate) use report::{SettingsReport, ValueReport};
pub(crate) use setting::{Settings, Source};
