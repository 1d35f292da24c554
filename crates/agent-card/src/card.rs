//! Typed access to the members of a card.

use atr_manifest::{Document, Kind, Value};
use serde::Serialize;

/// A view of a document as a card. The members may be missing or invalid: [`crate::validate`] checks them.
#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    root: Value<'a>,
}

/// Tier of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Verbs of Protocol-Commons.
    Commons,
    /// Economic or proprietary verbs.
    Commercial,
}

impl Class {
    /// Both classes.
    pub const ALL: [Self; 2] = [Self::Commons, Self::Commercial];

    /// The value of `class`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commons => "commons",
            Self::Commercial => "commercial",
        }
    }
}

impl<'a> Card<'a> {
    /// Views a document as a card.
    #[must_use]
    pub const fn new(document: &'a Document) -> Self {
        Self {
            root: document.root(),
        }
    }

    /// The root object.
    #[must_use]
    pub const fn root(self) -> Value<'a> {
        self.root
    }

    /// A string member.
    #[must_use]
    pub fn text(self, name: &str) -> Option<&'a str> {
        self.root.get(name)?.as_str()
    }

    /// `ens`
    #[must_use]
    pub fn ens(self) -> Option<&'a str> {
        self.text("ens")
    }

    /// `owner`
    #[must_use]
    pub fn owner(self) -> Option<&'a str> {
        self.text("owner")
    }

    /// `entry`
    #[must_use]
    pub fn entry(self) -> Option<&'a str> {
        self.text("entry")
    }

    /// `version`
    #[must_use]
    pub fn version(self) -> Option<&'a str> {
        self.text("version")
    }

    /// `class`
    #[must_use]
    pub fn class(self) -> Option<Class> {
        let class = self.text("class")?;
        Class::ALL.into_iter().find(|known| known.as_str() == class)
    }

    /// `implements`, without elements that are not strings.
    pub fn verbs(self) -> impl Iterator<Item = &'a str> {
        let list = self.root.get("implements");
        let elements = list.into_iter().flat_map(Value::elements);
        elements.filter_map(Value::as_str)
    }

    /// `implements[0]`
    #[must_use]
    pub fn primary_verb(self) -> Option<&'a str> {
        self.root.get("implements")?.elements().next()?.as_str()
    }

    /// The strings of an array inside a member, such as `capabilities.operations`.
    pub(crate) fn strings(self, member: &str, list: &str) -> Vec<String> {
        let list = self.root.get(member).and_then(|member| member.get(list));
        let elements = list.into_iter().flat_map(Value::elements);
        elements
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn is_object(self) -> bool {
        self.root.kind() == Kind::Object
    }
}
