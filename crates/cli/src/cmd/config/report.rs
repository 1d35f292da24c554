//! The settings as `atr config` answers them.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    config::{
        Settings, Source,
        key::{self, Key},
    },
    output::{Palette, Report, Table},
};

/// Every setting with its value and source.
#[derive(Debug, Serialize)]
pub(crate) struct SettingsReport {
    /// The configuration file that was read.
    file: Option<PathBuf>,
    settings: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    value: Option<Value>,
    /// What a name stands for.
    meaning: Option<String>,
    source: Source,
}

/// A flag stays a flag in JSON.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Text(String),
}

impl Value {
    fn text(value: impl ToString) -> Option<Self> {
        Some(Self::Text(value.to_string()))
    }

    fn human(&self) -> String {
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// One row per setting, in the order of [`KEYS`](crate::config::KEYS). Of the node's URL it has scheme and host only.
fn rows(settings: &Settings) -> Vec<Row> {
    let Settings {
        chain,
        rpc_url,
        registry,
        json,
        color,
        progress,
        log,
        file: _,
    } = settings;
    let row = |key: &Key, value: Option<Value>, source: &Source| Row {
        name: key.name,
        value,
        meaning: None,
        source: source.clone(),
    };
    vec![
        Row {
            meaning: chain.value.map(|chain| chain.caip2()),
            ..row(
                &key::CHAIN,
                chain.value.and_then(Value::text),
                &chain.source,
            )
        },
        row(
            &key::RPC_URL,
            rpc_url.value.as_ref().and_then(Value::text),
            &rpc_url.source,
        ),
        Row {
            meaning: registry.value.meaning(),
            ..row(
                &key::REGISTRY,
                Value::text(registry.value),
                &registry.source,
            )
        },
        row(&key::JSON, Some(Value::Flag(json.value)), &json.source),
        row(&key::COLOR, Value::text(color.value), &color.source),
        row(
            &key::PROGRESS,
            Some(Value::Flag(progress.value)),
            &progress.source,
        ),
        row(&key::LOG, Value::text(&log.value), &log.source),
    ]
}

impl SettingsReport {
    /// All settings in force.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self {
            file: settings.file.clone(),
            settings: rows(settings),
        }
    }
}

impl Report for SettingsReport {
    fn human(&self, palette: &Palette) -> String {
        let mut table = Table::new(["SETTING", "VALUE", "MEANING", "SOURCE"]);
        for row in &self.settings {
            table.add([
                row.name.to_owned(),
                row.value
                    .as_ref()
                    .map_or_else(|| "not set".to_owned(), Value::human),
                row.meaning.clone().unwrap_or_default(),
                row.source.to_string(),
            ]);
        }
        table.human(palette)
    }
}

/// The value of one setting.
#[derive(Debug, Serialize)]
pub(crate) struct ValueReport {
    name: &'static str,
    value: Value,
    source: Source,
}

impl ValueReport {
    /// The report, or `None` when the setting is not set. A URL is whole here: it was asked for by name.
    pub(crate) fn of(settings: &Settings, key: &Key) -> Option<Self> {
        let row = rows(settings)
            .into_iter()
            .find(|row| row.name == key.name)?;
        let whole_url = settings
            .rpc_url
            .value
            .as_ref()
            .and_then(|url| Value::text(url.expose()));
        let value = if *key == key::RPC_URL {
            whole_url
        } else {
            row.value
        };
        Some(Self {
            name: row.name,
            value: value?,
            source: row.source,
        })
    }
}

impl Report for ValueReport {
    fn human(&self, _: &Palette) -> String {
        self.value.human() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args::GlobalArgs, config::KEYS};

    #[test]
    fn there_is_one_row_per_setting_in_their_order() {
        let names = rows(&Settings::of_flags(&GlobalArgs::default()).unwrap())
            .into_iter()
            .map(|row| row.name);
        assert!(names.eq(KEYS.map(|key| key.name)));
    }
}
