//! Profiles: the text, and the two lines of cards that are published.

use std::{fmt, str::FromStr, sync::LazyLock};

use atr_manifest::Document;
use atr_schema::Schema;
use serde::Serialize;

use crate::{Card, Class};

/// The entry of published commons cards of version 1.1.0: one URL for all of them.
pub(crate) const RUNTIME_URL: &str = "https://runtime.commandlayer.org/execute";

/// A set of rules for cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Profile {
    /// The specification's text. Its verdict is the verdict of a card.
    #[default]
    #[serde(rename = "spec")]
    Spec,
    /// Cards as published in version 1.0.0: the entry ends with the card's version, and fewer rules apply.
    #[serde(rename = "published-1.0")]
    Published10,
    /// Cards as published in version 1.1.0: without descriptive members, with one verb and another entry.
    #[serde(rename = "published-1.1")]
    Published11,
}

/// A name that is not that of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected spec, published-1.0 or published-1.1")]
pub struct UnknownProfile;

static SPEC: LazyLock<BaseSchema> =
    LazyLock::new(|| BaseSchema::new(include_str!("../schemas/agent-card.schema.json")));
static PUBLISHED_10: LazyLock<BaseSchema> =
    LazyLock::new(|| BaseSchema::new(include_str!("../schemas/published-1.0.schema.json")));
static PUBLISHED_11: LazyLock<BaseSchema> =
    LazyLock::new(|| BaseSchema::new(include_str!("../schemas/published-1.1.schema.json")));

/// A schema of this crate.
pub(crate) struct BaseSchema {
    pub(crate) document: Document,
    pub(crate) schema: Schema,
}

impl BaseSchema {
    fn new(text: &'static str) -> Self {
        let document = Document::parse(text).expect("the crate's schemas are valid JSON");
        let schema = Schema::compile(document.root()).expect("the crate's schemas compile");
        Self { document, schema }
    }
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Spec, Self::Published10, Self::Published11];

    /// The name of the profile.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Published10 => "published-1.0",
            Self::Published11 => "published-1.1",
        }
    }

    /// The profile's JSON Schema (draft 2020-12). It contains what a schema can say; [`crate::validate`] checks the rest too.
    #[must_use]
    pub fn json_schema(self) -> &'static str {
        self.base_schema().document.text()
    }

    pub(crate) fn base_schema(self) -> &'static BaseSchema {
        match self {
            Self::Spec => &SPEC,
            Self::Published10 => &PUBLISHED_10,
            Self::Published11 => &PUBLISHED_11,
        }
    }

    /// The entries that the profile accepts for a card, the preferred one first. Empty if name, verb or version are missing.
    #[must_use]
    pub fn entries(self, card: Card<'_>) -> Vec<String> {
        let Some((ens, verb)) = card.ens().zip(card.primary_verb()) else {
            return Vec::new();
        };
        let entry = |version: &str| format!("x402://{ens}/{verb}/v{version}");
        match self {
            Self::Spec => vec![entry("1")],
            Self::Published10 => card.version().map(entry).into_iter().collect(),
            Self::Published11 if card.class() == Some(Class::Commons) => {
                vec![RUNTIME_URL.to_owned(), entry("1.1.0")]
            }
            Self::Published11 => vec![entry("1.1.0")],
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|profile| profile.as_str() == text)
            .ok_or(UnknownProfile)
    }
}
