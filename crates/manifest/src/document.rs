//! Parsed JSON documents.

pub(crate) mod node;
mod position;
mod value;
pub(crate) mod walk;

use node::{Node, Tag};
pub use value::{Kind, Value};

use crate::{
    CanonicalBytes, Error, ManifestHash, Pointer,
    canonical::{self, Strings},
    parse,
};

/// A JSON document that every parser reads the same way: UTF-8, no duplicate names, no lone surrogates, no number outside the
/// range of a double, at most 128 levels. Unknown members are preserved.
///
/// Values are nodes of eight bytes in a flat list, in document order; strings are slices of the text. So memory is a small
/// multiple of the input size, and no function is recursive.
#[derive(Clone, Debug)]
pub struct Document {
    /// The input, unchanged.
    pub(crate) text: String,
    /// Concatenated strings that contained escapes, with the escapes resolved.
    pub(crate) unescaped: String,
    pub(crate) nodes: Vec<Node>,
    /// For each object, the node indices of its member names, in canonical order.
    pub(crate) order: Vec<u32>,
}

impl Document {
    /// Parses a document. An owned `Vec` is not copied.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
        parse::parse(bytes.into())
    }

    /// The root value.
    #[must_use]
    pub const fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The input text, unchanged.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The canonical form (RFC 8785). Strings are not normalized; a rule checks that they are in NFC.
    #[must_use]
    pub fn canonical(&self) -> CanonicalBytes {
        CanonicalBytes::new(canonical::write(self, Strings::Unchanged))
    }

    /// keccak256 of the canonical form.
    #[must_use]
    pub fn hash(&self) -> ManifestHash {
        ManifestHash::from_document(self)
    }

    /// Converts every string and member name to NFC, as producers must do before hashing. Fails if two names of an object become
    /// equal.
    pub fn to_nfc(&self) -> Result<Self, Error> {
        Self::parse(canonical::write(self, Strings::Nfc))
    }

    /// Whether the text is ASCII, after resolving escapes.
    pub(crate) fn is_ascii(&self) -> bool {
        self.text.is_ascii() && self.unescaped.is_ascii()
    }

    pub(crate) fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    /// The text of a string or member name with escapes resolved, or of a number as written.
    pub(crate) fn slice(&self, node: Node) -> &str {
        let source = match node.tag() {
            Tag::Unescaped => &self.unescaped,
            _ => &self.text,
        };
        &source[node.start()..node.start() + node.length()]
    }

    /// JSON pointer of a node. A member name has the pointer of its member.
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

    /// Index after the last node of a value.
    pub(crate) fn end(&self, index: usize) -> usize {
        let node = self.node(index);
        match node.tag() {
            Tag::Object | Tag::Array => node.end(),
            _ => index + 1,
        }
    }
}
