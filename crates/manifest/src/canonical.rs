//! Canonical form (RFC 8785, JCS).

use std::borrow::Cow;

use alloy_primitives::{B256, Keccak256};

use crate::{
    ManifestHash,
    document::{
        Document,
        node::{Node, Tag},
    },
    nfc,
};

/// Integers with up to this many digits are exact in a double, so they are canonical as written.
const EXACT_DIGITS: usize = 15;

/// A document in canonical form. A separate type, so that raw bytes are never hashed by mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalBytes(Vec<u8>);

impl CanonicalBytes {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The canonical form in UTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The canonical form in UTF-8.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// keccak256 of the canonical form.
    #[must_use]
    pub fn hash(&self) -> ManifestHash {
        ManifestHash::from_canonical(self)
    }
}

/// How strings and member names are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strings {
    Unchanged,
    Nfc,
}

/// The part of an array or object that is not written yet.
enum Rest<'a> {
    Elements { next: usize, end: usize },
    Members { names: std::slice::Iter<'a, u32> },
}

/// Size of the buffer that is passed to the hasher: six blocks of keccak256.
const HASH_CHUNK: usize = 6 * 136;

/// Writes a document in canonical form, without recursion.
pub(crate) fn write(document: &Document, strings: Strings) -> Vec<u8> {
    let mut writer = Writer {
        document,
        strings,
        out: Vec::with_capacity(document.text.len()),
        hasher: None,
    };
    writer.write();
    writer.out
}

/// Hashes the canonical form of a document in chunks.
pub(crate) fn hash(document: &Document) -> B256 {
    let mut writer = Writer {
        document,
        strings: Strings::Unchanged,
        // Small enough for the allocator's fast bins; grows for long strings.
        out: Vec::with_capacity(1_024),
        hasher: Some(Keccak256::new()),
    };
    writer.write();
    let mut hasher = writer.hasher.unwrap_or_default();
    hasher.update(&writer.out);
    hasher.finalize()
}

struct Writer<'a> {
    document: &'a Document,
    strings: Strings,
    out: Vec<u8>,
    /// Set if only the hash is needed.
    hasher: Option<Keccak256>,
}

impl Writer<'_> {
    fn write(&mut self) {
        let document = self.document;
        let mut open = Vec::new();
        let mut index = 0;
        loop {
            let node = document.node(index);
            match node.tag() {
                Tag::Array => {
                    self.out.push(b'[');
                    open.push(Rest::Elements {
                        next: index + 1,
                        end: node.end(),
                    });
                }
                Tag::Object => {
                    self.out.push(b'{');
                    let names = &document.order[node.names()..node.names() + node.count()];
                    open.push(Rest::Members {
                        names: names.iter(),
                    });
                }
                _ => self.scalar(node),
            }
            if self.out.len() >= HASH_CHUNK {
                self.drain();
            }
            match self.next(&mut open) {
                Some(next) => index = next,
                None => return,
            }
        }
    }

    /// Passes the buffer to the hasher, if there is one. The last byte stays in the buffer, because `comma` reads it.
    fn drain(&mut self) {
        let Some(hasher) = &mut self.hasher else {
            return;
        };
        if let Some(last) = self.out.pop() {
            hasher.update(&self.out);
            self.out.clear();
            self.out.push(last);
        }
    }

    /// Closes completed arrays and objects and returns the next value.
    fn next(&mut self, open: &mut Vec<Rest<'_>>) -> Option<usize> {
        loop {
            match open.last_mut()? {
                Rest::Elements { next, end } if *next < *end => {
                    let element = *next;
                    *next = self.document.end(element);
                    self.comma(b'[');
                    return Some(element);
                }
                Rest::Elements { .. } => self.out.push(b']'),
                Rest::Members { names } => {
                    if let Some(name) = names.next() {
                        let name = *name as usize;
                        self.comma(b'{');
                        self.string(self.document.node(name));
                        self.out.push(b':');
                        return Some(name + 1);
                    }
                    self.out.push(b'}');
                }
            }
            open.pop();
        }
    }

    /// Writes a comma, except after the opening bracket.
    fn comma(&mut self, bracket: u8) {
        // The last byte of a string is its quote, never a bracket.
        if self.out.last() != Some(&bracket) {
            self.out.push(b',');
        }
    }

    fn scalar(&mut self, node: Node) {
        match node.tag() {
            Tag::Null => self.out.extend_from_slice(b"null"),
            Tag::False => self.out.extend_from_slice(b"false"),
            Tag::True => self.out.extend_from_slice(b"true"),
            Tag::Number => self.number(self.document.slice(node)),
            _ => self.string(node),
        }
    }

    fn number(&mut self, text: &str) {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_plain = digits.len() <= EXACT_DIGITS
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && text != "-0";
        if is_plain {
            self.out.extend_from_slice(text.as_bytes());
        } else {
            let value: f64 = text
                .parse()
                .expect("the parser accepts only finite doubles");
            let mut buffer = ryu_js::Buffer::new();
            self.out
                .extend_from_slice(buffer.format_finite(value).as_bytes());
        }
    }

    fn string(&mut self, node: Node) {
        // A string without escapes is already canonical and is copied with its quotes.
        if self.strings == Strings::Unchanged && node.tag() == Tag::Verbatim {
            let quoted = node.start() - 1..node.start() + node.length() + 1;
            self.out
                .extend_from_slice(&self.document.text.as_bytes()[quoted]);
            return;
        }
        let text = self.document.slice(node);
        let text = match self.strings {
            Strings::Unchanged => Cow::Borrowed(text),
            Strings::Nfc => nfc::to_nfc(text),
        };
        self.out.push(b'"');
        let bytes = text.as_bytes();
        let mut written = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if !matches!(byte, b'"' | b'\\' | 0..=0x1f) {
                continue;
            }
            self.out.extend_from_slice(&bytes[written..at]);
            written = at + 1;
            self.escape(*byte);
        }
        self.out.extend_from_slice(&bytes[written..]);
        self.out.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0c => b'f',
            b'\r' => b'r',
            other => {
                self.out.extend_from_slice(b"\\u00");
                self.out.push(HEX[usize::from(other >> 4)]);
                self.out.push(HEX[usize::from(other & 15)]);
                return;
            }
        };
        self.out.extend_from_slice(&[b'\\', short]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashing_in_chunks_equals_hashing_the_whole_form() {
        for unit in ["0", "\"x\"", "[]", "{\"b\":[1,2],\"a\":\"\\n\"}"] {
            for length in [1, HASH_CHUNK - 2, HASH_CHUNK, 5 * HASH_CHUNK] {
                let elements = vec![unit; length / unit.len() + 1].join(",");
                let text = format!("{{\"list\":[{elements}],\"after\":[[],{{}}]}}");
                let document = Document::parse(text).unwrap();
                let whole = document.canonical();
                assert_eq!(document.hash(), whole.hash(), "{unit} {length}");
                let again = Document::parse(whole.as_bytes()).unwrap();
                assert_eq!(again.canonical(), whole, "{unit} {length}");
            }
        }
    }

    #[test]
    fn hashing_a_long_document_uses_little_memory() {
        let text = format!("[{}0]", "0,".repeat(5 * HASH_CHUNK));
        let document = Document::parse(text).unwrap();
        let mut writer = Writer {
            document: &document,
            strings: Strings::Unchanged,
            out: Vec::new(),
            hasher: Some(Keccak256::new()),
        };
        writer.write();
        assert!(writer.out.len() <= HASH_CHUNK + 1);
    }
}
