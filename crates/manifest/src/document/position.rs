//! Line and column of values. Computed on demand from the text, because few documents have findings.

use super::{Document, Kind};
use crate::{Pointer, TextPosition};

impl Document {
    /// Line and column of a value. If it does not exist, those of the innermost array or object on the way to it.
    #[must_use]
    pub fn position(&self, pointer: &Pointer) -> TextPosition {
        let mut value = self.root();
        for token in pointer.tokens() {
            let child = match value.kind() {
                Kind::Array => token.parse().ok().and_then(|at| value.elements().nth(at)),
                _ => value.get(&token),
            };
            match child {
                Some(child) => value = child,
                None => break,
            }
        }
        TextPosition::new(&self.text, self.offset(value.index()))
    }

    /// Offset of a node in the text. Nodes are in document order, and each is one string, number, literal or opening bracket.
    fn offset(&self, index: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut nodes = 0;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if matches!(
                byte,
                b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b']' | b'}'
            ) {
                at += 1;
                continue;
            }
            if nodes == index {
                break;
            }
            nodes += 1;
            at += match byte {
                b'[' | b'{' => 1,
                b'"' => string_length(&bytes[at..]),
                _ => scalar_length(&bytes[at..]),
            };
        }
        at
    }
}

/// Length of a string with its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Length of a number or literal.
fn scalar_length(bytes: &[u8]) -> usize {
    let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
    bytes.iter().position(is_end).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_the_position_where_it_starts() {
        let text = "{\n  \"a\\\"\": [1, \"x\\\\\", {\"é\": true}],\n\t\"b/~\": {\"\": null},\n  \"c\": -1e5\n}\n";
        let document = Document::parse(text).unwrap();
        for (pointer, line, column) in [
            ("", 1, 1),
            ("/a\"", 2, 10),
            ("/a\"/0", 2, 11),
            ("/a\"/1", 2, 14),
            ("/a\"/2", 2, 21),
            ("/a\"/2/é", 2, 27),
            ("/b~1~0", 3, 9),
            ("/b~1~0/", 3, 14),
            ("/c", 4, 8),
            // Values that do not exist.
            ("/d", 1, 1),
            ("/a\"/9", 2, 10),
            ("/a\"/x/y", 2, 10),
            ("/c/d", 4, 8),
        ] {
            let tokens = pointer.split('/').skip(1);
            let pointer = tokens.fold(Pointer::root(), |pointer, token| {
                pointer.member(&token.replace("~1", "/").replace("~0", "~"))
            });
            let position = document.position(&pointer);
            assert_eq!(
                (position.line, position.column),
                (line, column),
                "{pointer}"
            );
        }
    }
}
