//! Names of the settings on the command line, in the environment and in `atr.toml`.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The names of a setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Key in `atr.toml`.
    pub(crate) name: &'static str,
    pub(crate) flag: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) kind: Kind,
}

/// TOML type of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A string, or an integer that is read as one.
    TextOrNumber,
    Flag,
}

impl Kind {
    /// Completes "must be …".
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::TextOrNumber => "a string or an integer",
            Self::Flag => "true or false",
        }
    }
}

pub(crate) static CHAIN: Key = Key::new("chain", "--chain", "ATR_CHAIN", Kind::TextOrNumber);
pub(crate) static RPC_URL: Key = Key::new("rpc-url", "--rpc-url", "ATR_RPC_URL", Kind::Text);
pub(crate) static REGISTRY: Key = Key::new("registry", "--registry", "ATR_REGISTRY", Kind::Text);
pub(crate) static JSON: Key = Key::new("json", "--json", "ATR_JSON", Kind::Flag);
pub(crate) static COLOR: Key = Key::new("color", "--color", "ATR_COLOR", Kind::Text);
pub(crate) static PROGRESS: Key = Key::new("progress", "--no-progress", "ATR_PROGRESS", Kind::Flag);
pub(crate) static LOG: Key = Key::new("log", "-v/-q", "ATR_LOG", Kind::Text);
pub(crate) static API: Key = Key::new("api", "--api", "ATR_API", Kind::Text);

/// All settings, in display order.
pub(crate) static KEYS: [&Key; 8] = [
    &CHAIN, &RPC_URL, &REGISTRY, &JSON, &COLOR, &PROGRESS, &LOG, &API,
];

impl Key {
    const fn new(
        name: &'static str,
        flag: &'static str,
        variable: &'static str,
        kind: Kind,
    ) -> Self {
        Self {
            name,
            flag,
            variable,
            kind,
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<&'static Self> {
        KEYS.into_iter().find(|key| key.name == name)
    }

    pub(crate) fn names() -> [&'static str; KEYS.len()] {
        KEYS.map(|key| key.name)
    }

    pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Self> {
        PossibleValuesParser::new(Self::names())
            .map(|name| Self::from_name(&name).expect("the parser accepts known names only"))
    }
}
