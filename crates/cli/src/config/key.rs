//! The settings by name: what they are called on the command line, in the environment and in `atr.toml`.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The three names of one setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// In `atr.toml`, and for people.
    pub(crate) name: &'static str,
    /// On the command line.
    pub(crate) flag: &'static str,
    /// In the environment.
    pub(crate) variable: &'static str,
    /// What `atr.toml` may hold for it.
    pub(crate) kind: Kind,
}

/// The TOML types a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A string.
    Text,
    /// A string, or the number it would spell.
    TextOrNumber,
    /// A boolean.
    Flag,
}

impl Kind {
    /// For an error: "must be …".
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::TextOrNumber => "a string or a whole number",
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

/// Every setting, in the order it is shown.
pub(crate) static KEYS: [&Key; 7] = [&CHAIN, &RPC_URL, &REGISTRY, &JSON, &COLOR, &PROGRESS, &LOG];

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

    /// The setting of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        KEYS.into_iter().find(|key| key.name == name)
    }

    /// Names of all settings.
    pub(crate) fn names() -> [&'static str; KEYS.len()] {
        KEYS.map(|key| key.name)
    }

    /// Reads a setting's name from the command line.
    pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Self> {
        PossibleValuesParser::new(Self::names())
            .map(|name| Self::named(&name).expect("the parser lets known names through only"))
    }
}
