//! Reports of `atr config`.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    args::RpcUrl,
    config::{
        Setting, Settings, Source, VARIABLES,
        key::{self, Key},
    },
    context::Context,
    error::Error,
    network::node,
    output::{Palette, Report, Table},
};

#[derive(Debug, Serialize)]
pub(crate) struct SettingsReport {
    file: Option<PathBuf>,
    settings: Vec<Row>,
    /// Variables that are set, besides those of settings.
    environment: Vec<VariableRow>,
}

#[derive(Debug, Serialize)]
struct VariableRow {
    name: &'static str,
    /// `None` for a secret.
    value: Option<String>,
    #[serde(skip)]
    purpose: &'static str,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    value: Option<Value>,
    /// CAIP-2 id of a chain, or address of a registry.
    description: Option<String>,
    source: Source,
}

/// Booleans are JSON booleans.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Text(String),
}

impl Value {
    fn from_text(value: impl ToString) -> Option<Self> {
        Some(Self::Text(value.to_string()))
    }

    fn display(&self) -> String {
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// One row per setting, in the order of [`KEYS`](crate::config::KEYS). The RPC URL is reduced to scheme and host.
fn rows(settings: &Settings, rpc_url: Option<&Setting<Vec<RpcUrl>>>) -> Vec<Row> {
    let Settings {
        chain,
        rpc_url: _,
        registry,
        json,
        color,
        progress,
        log,
        api,
        file: _,
    } = settings;
    let row = |key: &Key, value: Option<Value>, source: &Source| Row {
        name: key.name,
        value,
        description: None,
        source: source.clone(),
    };
    vec![
        Row {
            description: chain.value.map(|chain| chain.caip2()),
            ..row(
                &key::CHAIN,
                chain.value.and_then(Value::from_text),
                &chain.source,
            )
        },
        row(
            &key::RPC_URL,
            rpc_url.and_then(|urls| joined(urls, RpcUrl::to_string)),
            rpc_url.map_or(&Source::Default, |urls| &urls.source),
        ),
        Row {
            description: registry.value.description(),
            ..row(
                &key::REGISTRY,
                Value::from_text(registry.value),
                &registry.source,
            )
        },
        row(&key::JSON, Some(Value::Flag(json.value)), &json.source),
        row(&key::COLOR, Value::from_text(color.value), &color.source),
        row(
            &key::PROGRESS,
            Some(Value::Flag(progress.value)),
            &progress.source,
        ),
        row(&key::LOG, Value::from_text(&log.value), &log.source),
        row(
            &key::API,
            api.value.as_ref().and_then(Value::from_text),
            &api.source,
        ),
    ]
}

fn joined(urls: &Setting<Vec<RpcUrl>>, display: impl Fn(&RpcUrl) -> String) -> Option<Value> {
    let urls: Vec<_> = urls.value.iter().map(display).collect();
    Value::from_text(urls.join(","))
}

/// The RPC URLs of commands that are not about a tool on another chain.
fn rpc_setting(context: &Context) -> Result<Option<Setting<Vec<RpcUrl>>>, Error> {
    node::rpc_setting(context, context.settings.chain.value)
}

impl SettingsReport {
    pub(crate) fn try_new(context: &Context) -> Result<Self, Error> {
        let rpc_url = rpc_setting(context)?;
        let mut settings = rows(&context.settings, rpc_url.as_ref());
        if let Some(url) = &context.send_rpc_url {
            settings.push(Row {
                name: "send-rpc-url",
                value: Value::from_text(url),
                description: None,
                source: Source::Flag {
                    name: "--send-rpc-url",
                },
            });
        }
        let environment = VARIABLES.iter().filter_map(|variable| {
            let value = context.environment.path(variable.name)?;
            Some(VariableRow {
                name: variable.name,
                value: (!variable.is_secret).then(|| value.display().to_string()),
                purpose: variable.purpose,
            })
        });
        Ok(Self {
            file: context.settings.file.clone(),
            settings,
            environment: environment.collect(),
        })
    }
}

impl Report for SettingsReport {
    fn render(&self, palette: &Palette) -> String {
        let mut table = Table::new(["SETTING", "VALUE", "SOURCE"]);
        for row in &self.settings {
            let value = row.value.as_ref().map(Value::display);
            let value = match (value, &row.description) {
                (Some(value), Some(description)) => format!("{value} ({description})"),
                (Some(value), None) => value,
                (None, _) => "not set".to_owned(),
            };
            table.add_row([row.name.to_owned(), value, row.source.to_string()]);
        }
        let mut text = table.render(palette);
        if !self.environment.is_empty() {
            let mut table = Table::new(["VARIABLE", "PURPOSE", "VALUE"]);
            for row in &self.environment {
                let value = row.value.clone().unwrap_or_else(|| "set".to_owned());
                table.add_row([row.name.to_owned(), row.purpose.to_owned(), value]);
            }
            text += "\n";
            text += &table.render(palette);
        }
        text
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct ValueReport {
    name: &'static str,
    value: Value,
    source: Source,
}

impl ValueReport {
    /// `None` if the setting is not set. Contains the full RPC URL.
    pub(crate) fn find(context: &Context, key: &Key) -> Result<Option<Self>, Error> {
        let rpc_url = rpc_setting(context)?;
        let rows = rows(&context.settings, rpc_url.as_ref());
        let row = rows.into_iter().find(|row| row.name == key.name);
        let full_url = rpc_url.and_then(|urls| joined(&urls, |url| url.expose().to_owned()));
        Ok(row.and_then(|row| {
            let value = if *key == key::RPC_URL {
                full_url
            } else {
                row.value
            };
            Some(Self {
                name: row.name,
                value: value?,
                source: row.source,
            })
        }))
    }
}

impl Report for ValueReport {
    fn render(&self, _: &Palette) -> String {
        self.value.display() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{args::GlobalArgs, config::KEYS};

    #[test]
    fn has_one_row_per_setting_in_order() {
        let names = rows(&Settings::from_flags(&GlobalArgs::default()).unwrap(), None)
            .into_iter()
            .map(|row| row.name);
        assert!(names.eq(KEYS.map(|key| key.name)));
    }
}
