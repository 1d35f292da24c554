//! A JSON document: whatever the reader let through, kept whole.

pub(crate) mod node;
mod value;
pub(crate) mod walk;

use node::{Node, Tag};
pub use value::{Kind, Value};

use crate::{
    CanonicalBytes, Error, ManifestHash, Pointer,
    canonical::{self, Strings},
    parse,
};

/// A JSON document without anything two readers could read differently: UTF-8, no repeated names, no lone surrogates, no
/// number beyond a double, at most 128 levels. Unknown members are kept like all others.
///
/// The values lie in one list in the order of the text, eight bytes each; strings stay in the text they were read from. So a
/// megabyte of anything becomes a few megabytes, and nothing here calls itself.
#[derive(Clone, Debug)]
pub struct Document {
    /// As it was read.
    pub(crate) text: String,
    /// Strings that had escapes, without them, end to end.
    pub(crate) unescaped: String,
    pub(crate) nodes: Vec<Node>,
    /// For each object the nodes of its names, in canonical order.
    pub(crate) order: Vec<u32>,
}

impl Document {
    /// Reads a document. Bytes that are owned are not copied.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        parse::parse(bytes.into())
    }

    /// The outermost value.
    #[must_use]
    pub const fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The text as it was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The canonical form (RFC 8785). Strings are left as they are: whether they are NFC is a rule, not a form.
    #[must_use]
    pub fn canonical(&self) -> CanonicalBytes {
        CanonicalBytes::new(canonical::write(self, Strings::AsTheyAre))
    }

    /// keccak256 of the canonical form.
    #[must_use]
    pub fn hash(&self) -> ManifestHash {
        ManifestHash::of_document(self)
    }

    /// The document with every string and name in NFC, as a producer must bring them before hashing. Two names that become
    /// one are refused.
    pub fn to_nfc(&self) -> Result<Self, Error> {
        Self::parse(canonical::write(self, Strings::InNfc))
    }

    /// Whether there is nothing but ASCII in it, escapes resolved.
    pub(crate) fn is_ascii(&self) -> bool {
        self.text.is_ascii() && self.unescaped.is_ascii()
    }

    pub(crate) fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    /// The text of a string or a name, escapes resolved; of a number, as written.
    pub(crate) fn slice(&self, node: Node) -> &str {
        let source = match node.tag() {
            Tag::Unescaped => &self.unescaped,
            _ => &self.text,
        };
        &source[node.start()..node.start() + node.length()]
    }

    /// Where a node stands. A name stands where its member does.
    pub(crate) fn pointer(&self, index: usize) -> Pointer {
        let mut pointer = Pointer::root();
        let mut at = 0;
        while at != index {
            let container = self.node(at);
            let is_object = container.tag() == Tag::Object;
            let mut child = at + 1;
            let mut count = 0;
            loop {
                let value = if is_object { child + 1 } else { child };
                let end = self.end(value);
                if index < end {
                    pointer = if is_object {
                        pointer.member(self.slice(self.node(child)))
                    } else {
                        pointer.element(count)
                    };
                    at = if index == child { index } else { value };
                    break;
                }
                child = end;
                count += 1;
            }
        }
        pointer
    }

    /// One past the last node of a value.
    pub(crate) fn end(&self, index: usize) -> usize {
        let node = self.node(index);
        match node.tag() {
            Tag::Object | Tag::Array => node.end(),
            _ => index + 1,
        }
    }
}
