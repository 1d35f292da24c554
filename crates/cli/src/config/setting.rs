//! Resolving the settings from their four sources.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::ValueEnum;
use serde::Serialize;

use super::{
    file::ConfigFile,
    key::{self, Key},
};
use crate::{
    args::{Chain, ChainFlag, GlobalArgs, InvalidValue, RegistryChoice, RpcUrl},
    config::Environment,
    error::Error,
    output::{Color, logging::LogFilter},
};

/// A value, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Source {
    /// The command line.
    Flag { name: &'static str },
    /// The environment.
    Environment { name: &'static str },
    /// The configuration file.
    File { path: PathBuf, line: usize },
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag { name } => write!(f, "flag {name}"),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Every setting in force.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Chain to work on; most commands need one and say so.
    pub(crate) chain: Setting<Option<Chain>>,
    /// Node to reach it through.
    pub(crate) rpc_url: Setting<Option<RpcUrl>>,
    /// Registry to talk to.
    pub(crate) registry: Setting<RegistryChoice>,
    /// Whether answers are JSON.
    pub(crate) json: Setting<bool>,
    /// When to use colours.
    pub(crate) color: Setting<Color>,
    /// Whether progress bars may be drawn.
    pub(crate) progress: Setting<bool>,
    /// Which diagnostics to show.
    pub(crate) log: Setting<LogFilter>,
    /// The configuration file that was read, if there is one.
    pub(crate) file: Option<PathBuf>,
}

impl Settings {
    /// Resolves every setting; `here` is where the search for `atr.toml` begins.
    ///
    /// # Errors
    ///
    /// On the first value that breaks its rule, even where a stronger source overrides it: a mistake that shows only on
    /// some days is worse.
    pub(crate) fn resolve(
        flags: &GlobalArgs,
        environment: &Environment,
        here: &Path,
    ) -> Result<Self, Error> {
        let file = ConfigFile::find(flags.config.as_deref(), environment, here)?;
        Self::of_layers(
            flags,
            &Layers {
                environment,
                file: file.as_ref(),
            },
        )
    }

    /// The settings as the flags alone make them.
    ///
    /// # Errors
    ///
    /// When they contradict each other.
    pub(crate) fn of_flags(flags: &GlobalArgs) -> Result<Self, Error> {
        let nothing = Environment::default();
        Self::of_layers(
            flags,
            &Layers {
                environment: &nothing,
                file: None,
            },
        )
    }

    fn of_layers(flags: &GlobalArgs, layers: &Layers<'_>) -> Result<Self, Error> {
        let verbosity = (flags.verbose, flags.quiet);
        let log =
            (verbosity != (0, 0)).then(|| LogFilter::of_verbosity(flags.verbose, flags.quiet));
        let (chain, node) = match &flags.chain {
            Some(ChainFlag::Chain(chain)) => (Some(*chain), None),
            Some(ChainFlag::Node(url)) => (None, Some(url.clone())),
            None => (None, None),
        };
        if node.is_some() && flags.rpc_url.is_some() {
            return Err(Error::TwoNodes);
        }
        let is_by_node = node.is_some();
        let mut resolved = layers.optional(&key::CHAIN, chain)?;
        if is_by_node {
            // The node says which chain it is on; a chain from a weaker source is not what was asked for.
            resolved = Setting {
                value: None,
                source: Source::Flag {
                    name: key::CHAIN.flag,
                },
            };
        }
        Ok(Self {
            chain: resolved,
            rpc_url: layers.optional(&key::RPC_URL, node.or_else(|| flags.rpc_url.clone()))?,
            registry: layers.setting(
                &key::REGISTRY,
                flags.registry,
                Default::default(),
                FromStr::from_str,
            )?,
            json: layers.setting(&key::JSON, flags.json.then_some(true), false, parse_flag)?,
            color: layers.setting(&key::COLOR, flags.color, Color::default(), parse_color)?,
            progress: layers.setting(
                &key::PROGRESS,
                flags.no_progress.then_some(false),
                true,
                parse_flag,
            )?,
            log: layers.setting(&key::LOG, log, LogFilter::default(), FromStr::from_str)?,
            file: layers.file.map(|file| file.path.clone()),
        })
    }
}

/// The sources below the command line.
struct Layers<'a> {
    environment: &'a Environment,
    file: Option<&'a ConfigFile>,
}

impl Layers<'_> {
    /// A setting that may be left unset.
    fn optional<T>(&self, key: &'static Key, flag: Option<T>) -> Result<Setting<Option<T>>, Error>
    where
        T: FromStr<Err = InvalidValue>,
    {
        self.setting(key, flag.map(Some), None, |text| text.parse().map(Some))
    }

    fn setting<T>(
        &self,
        key: &'static Key,
        flag: Option<T>,
        default: T,
        parse: impl Fn(&str) -> Result<T, InvalidValue>,
    ) -> Result<Setting<T>, Error> {
        let mut setting = Setting {
            value: default,
            source: Source::Default,
        };
        if let Some((file, value)) = self.file.and_then(|file| Some((file, file.value(key)?))) {
            let (path, line) = (file.path.clone(), value.line);
            match parse(&value.text) {
                Ok(value) => {
                    setting = Setting {
                        value,
                        source: Source::File { path, line },
                    }
                }
                Err(reason) => {
                    return Err(Error::InvalidKey {
                        path,
                        line,
                        key: key.name,
                        reason,
                    });
                }
            }
        }
        let name = key.variable;
        if let Some(text) = self.environment.text(name)? {
            let value = parse(text).map_err(|reason| Error::InvalidVariable { name, reason })?;
            setting = Setting {
                value,
                source: Source::Environment { name },
            };
        }
        if let Some(value) = flag {
            setting = Setting {
                value,
                source: Source::Flag { name: key.flag },
            };
        }
        Ok(setting)
    }
}

fn parse_flag(text: &str) -> Result<bool, InvalidValue> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(InvalidValue::NotOneOf {
            found: text.to_owned(),
            allowed: &["true", "false", "1", "0"],
        }),
    }
}

fn parse_color(text: &str) -> Result<Color, InvalidValue> {
    // The parser's own message names no alternatives.
    Color::from_str(text, false).map_err(|_| InvalidValue::NotOneOf {
        found: text.to_owned(),
        allowed: &["auto", "always", "never"],
    })
}

#[cfg(test)]
mod tests;
