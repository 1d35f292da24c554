//! Resolves settings from their sources.

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
    args::{ApiUrl, Chain, ChainArg, Endpoint, GlobalArgs, InvalidValue, RegistryChoice, RpcUrls},
    config::{Environment, Foundry},
    error::Error,
    output::{Color, logging::LogFilter},
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Source {
    Flag { name: &'static str },
    Environment { name: &'static str },
    File { path: PathBuf, line: usize },
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

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) chain: Setting<Option<Chain>>,
    /// Without the fallbacks of [`rpc_setting`](crate::network::node::rpc_setting).
    pub(crate) rpc_url: Setting<Option<RpcUrls>>,
    pub(crate) registry: Setting<RegistryChoice>,
    pub(crate) json: Setting<bool>,
    pub(crate) color: Setting<Color>,
    pub(crate) progress: Setting<bool>,
    pub(crate) log: Setting<LogFilter>,
    /// Without the flag, which only `atr search` has.
    pub(crate) api: Setting<Option<ApiUrl>>,
    /// The configuration file that was read.
    pub(crate) file: Option<PathBuf>,
}

impl Settings {
    /// Resolves all settings; the search for `atr.toml` and `foundry.toml` starts in `directory`.
    ///
    /// # Errors
    ///
    /// On the first invalid value, even if a source of higher precedence overrides it.
    pub(crate) fn resolve(
        flags: &GlobalArgs,
        environment: &Environment,
        directory: &Path,
    ) -> Result<Self, Error> {
        let file = ConfigFile::find(flags.config.as_deref(), environment, directory)?;
        Self::from_layers(
            flags,
            &Layers {
                environment,
                file: file.as_ref(),
                foundry: Some(&Foundry::new(directory)),
            },
        )
    }

    /// Settings from flags and defaults only.
    ///
    /// # Errors
    ///
    /// If flags conflict.
    pub(crate) fn from_flags(flags: &GlobalArgs) -> Result<Self, Error> {
        let empty = Environment::default();
        Self::from_layers(
            flags,
            &Layers {
                environment: &empty,
                file: None,
                foundry: None,
            },
        )
    }

    fn from_layers(flags: &GlobalArgs, layers: &Layers<'_>) -> Result<Self, Error> {
        let verbosity = (flags.verbose, flags.quiet);
        let log =
            (verbosity != (0, 0)).then(|| LogFilter::from_verbosity(flags.verbose, flags.quiet));
        if let Some(chain) = &flags.chain.chain {
            layers
                .check_chain(chain)
                .map_err(|reason| Error::InvalidFlag {
                    flag: key::CHAIN.flag,
                    reason,
                })?;
        }
        let chain = layers.setting(
            &key::CHAIN,
            flags.chain.chain.clone().map(Some),
            None,
            |text| {
                let chain = text.parse()?;
                layers.check_chain(&chain)?;
                Ok(Some(chain))
            },
        )?;
        let urls = flags.chain.rpc_url.clone();
        let urls = (!urls.is_empty()).then_some(RpcUrls(urls));
        // Without a known chain, the node determines the chain.
        let (value, endpoint) = match chain.value {
            Some(ChainArg::Chain(value)) => (Some(value), None),
            Some(ChainArg::RpcUrl(url)) => (None, Some(Endpoint::Url(url))),
            Some(ChainArg::Endpoint(name)) => (None, Some(Endpoint::Name(name))),
            None => (None, None),
        };
        let chain = Setting {
            value,
            source: chain.source,
        };
        let is_flag = matches!(chain.source, Source::Flag { .. });
        if is_flag && endpoint.is_some() && urls.is_some() {
            return Err(Error::TwoRpcUrls);
        }
        let mut rpc_url = layers.optional(&key::RPC_URL, urls)?;
        if let Some(endpoint) = endpoint
            && (is_flag || rpc_url.value.is_none())
        {
            rpc_url = Setting {
                value: Some(endpoint.into()),
                source: chain.source.clone(),
            };
        }
        Ok(Self {
            chain,
            rpc_url,
            registry: layers.setting(
                &key::REGISTRY,
                flags.chain.registry,
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
            api: layers.optional(&key::API, None)?,
            file: layers.file.map(|file| file.path.clone()),
        })
    }
}

/// Sources of lower precedence than flags.
struct Layers<'a> {
    environment: &'a Environment,
    file: Option<&'a ConfigFile>,
    /// `None` if files must not be read.
    foundry: Option<&'a Foundry>,
}

impl Layers<'_> {
    /// An error for a name that is neither a chain nor an endpoint of `foundry.toml`.
    fn check_chain(&self, chain: &ChainArg) -> Result<(), InvalidValue> {
        let (ChainArg::Endpoint(name), Some(foundry)) = (chain, self.foundry) else {
            return Ok(());
        };
        match foundry.rpc_url(name, self.environment) {
            Ok(None) => Err(InvalidValue::chain(name)),
            // Errors of the entry are reported when it is used.
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }

    /// A setting without a default.
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
    // clap's message does not list the allowed values.
    Color::from_str(text, false).map_err(|_| InvalidValue::NotOneOf {
        found: text.to_owned(),
        allowed: &["auto", "always", "never"],
    })
}

#[cfg(test)]
mod tests;
