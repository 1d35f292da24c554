//! Values of a document.

use std::fmt;

use super::{Document, node::Tag};
use crate::{Pointer, utf16_order};

/// Objects with at most this many members are searched linearly, which is faster than a binary search.
const LINEAR_SEARCH_MEMBERS: usize = 32;

/// A JSON value of a document.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    document: &'a Document,
    index: usize,
}

/// JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number in the range of a double.
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

impl<'a> Value<'a> {
    pub(super) const fn new(document: &'a Document, index: usize) -> Self {
        Self { document, index }
    }

    pub(super) const fn index(self) -> usize {
        self.index
    }

    fn tag(self) -> Tag {
        self.document.node(self.index).tag()
    }

    /// JSON type of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.tag() {
            Tag::Null => Kind::Null,
            Tag::False | Tag::True => Kind::Boolean,
            Tag::Number => Kind::Number,
            Tag::Verbatim | Tag::Unescaped => Kind::String,
            Tag::Array => Kind::Array,
            Tag::Object => Kind::Object,
        }
    }

    /// The content of a string, with escapes resolved.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        (self.kind() == Kind::String).then(|| self.document.slice(self.document.node(self.index)))
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.tag() {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// The value of a number.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        if self.tag() != Tag::Number {
            return None;
        }
        self.number_text()?.parse().ok()
    }

    /// The text of a number, as written.
    #[must_use]
    pub fn number_text(self) -> Option<&'a str> {
        (self.tag() == Tag::Number).then(|| self.document.slice(self.document.node(self.index)))
    }

    /// The elements of an array. Empty for other types.
    pub fn elements(self) -> impl Iterator<Item = Self> {
        let node = self.document.node(self.index);
        let count = match node.tag() {
            Tag::Array => node.count(),
            _ => 0,
        };
        let mut next = self.index + 1;
        (0..count).map(move |_| {
            let element = Self::new(self.document, next);
            next = self.document.end(next);
            element
        })
    }

    /// The members of an object, in document order. Empty for other types.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Self)> {
        let node = self.document.node(self.index);
        let count = match node.tag() {
            Tag::Object => node.count(),
            _ => 0,
        };
        let mut next = self.index + 1;
        (0..count).map(move |_| {
            let name = self.document.slice(self.document.node(next));
            let value = Self::new(self.document, next + 1);
            next = self.document.end(next + 1);
            (name, value)
        })
    }

    /// Number of elements or members. 0 for other types.
    #[must_use]
    pub fn len(self) -> usize {
        let node = self.document.node(self.index);
        match node.tag() {
            Tag::Array | Tag::Object => node.count(),
            _ => 0,
        }
    }

    /// Whether there are no elements or members.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member of an object with this name. Case-sensitive.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Self> {
        let node = self.document.node(self.index);
        if node.tag() != Tag::Object {
            return None;
        }
        let names = &self.document.order[node.names()..node.names() + node.count()];
        let name_node = |index: u32| self.document.node(index as usize);
        let found = if names.len() <= LINEAR_SEARCH_MEMBERS {
            // Comparing lengths first rules out most names.
            let is_named = |index: &&u32| {
                let node = name_node(**index);
                node.length() == name.len() && self.document.slice(node) == name
            };
            names.iter().find(is_named).copied()
        } else {
            let text = |index: u32| self.document.slice(name_node(index));
            let found = names.binary_search_by(|index| utf16_order::compare(text(*index), name));
            found.ok().map(|position| names[position])
        };
        found.map(|index| Self::new(self.document, index as usize + 1))
    }

    /// JSON pointer of the value.
    #[must_use]
    pub fn pointer(self) -> Pointer {
        self.document.pointer(self.index)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}", self.kind(), self.pointer().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_prints_type_and_pointer() {
        let document = Document::parse(r#"[null,false,true,-1.50,"a",[0],{"b":0}]"#).unwrap();
        let printed: Vec<_> = document
            .root()
            .elements()
            .map(|value| format!("{value:?} {:?} {}", value.as_bool(), value.len()))
            .collect();
        assert_eq!(
            printed,
            [
                r#"null at "/0" None 0"#,
                r#"a boolean at "/1" Some(false) 0"#,
                r#"a boolean at "/2" Some(true) 0"#,
                r#"a number at "/3" None 0"#,
                r#"a string at "/4" None 0"#,
                r#"an array at "/5" None 1"#,
                r#"an object at "/6" None 1"#,
            ]
        );
    }
}
