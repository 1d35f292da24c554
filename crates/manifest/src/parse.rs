//! Strict JSON parser: one pass, no recursion, no repair of invalid input.

mod escape;
mod scan;

use atr_ids::excerpt;

use crate::{
    Error, MAX_DEPTH, MAX_MANIFEST_BYTES, Pointer, TextPosition,
    document::{
        Document,
        node::{Node, Tag},
    },
    utf16_order,
};

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Parses a document.
pub(crate) fn parse(bytes: Vec<u8>) -> Result<Document, Error> {
    if bytes.len() > MAX_MANIFEST_BYTES {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    // Checked on the raw bytes, because text decoders strip the mark (T-09).
    if bytes.starts_with(&BYTE_ORDER_MARK) {
        return Err(Error::ByteOrderMark);
    }
    let text = String::from_utf8(bytes).map_err(|error| Error::NotUtf8 {
        at: error.utf8_error().valid_up_to(),
    })?;
    let mut parser = Parser::new(&text);
    parser.parse()?;
    let Parser {
        nodes,
        order,
        unescaped,
        ..
    } = parser;
    Ok(Document {
        text,
        unescaped,
        nodes,
        order,
    })
}

/// An array or object that is not closed yet.
struct Open {
    index: usize,
    /// Array: number of complete elements. Object: index of its first name in `pending`.
    count: usize,
    is_object: bool,
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    order: Vec<u32>,
    unescaped: String,
    open: Vec<Open>,
    /// Member names of open objects, in document order.
    pending: Vec<u32>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        // Every node except the first follows one of these bytes, so this capacity is never exceeded.
        let (followers, colons) = scan::count_structure(bytes);
        Self {
            text,
            bytes,
            at: 0,
            nodes: Vec::with_capacity(followers + 1),
            order: Vec::with_capacity(colons),
            unescaped: String::new(),
            open: Vec::with_capacity(16),
            pending: Vec::with_capacity(colons.min(64)),
        }
    }

    fn parse(&mut self) -> Result<(), Error> {
        loop {
            self.skip_whitespace();
            let is_open = match self.bytes.get(self.at) {
                Some(b'"') => self.string().map(|()| false),
                Some(b'{') => self.open(Tag::Object),
                Some(b'[') => self.open(Tag::Array),
                Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
                Some(b't') => self.literal("true", Tag::True).map(|()| false),
                Some(b'f') => self.literal("false", Tag::False).map(|()| false),
                Some(b'n') => self.literal("null", Tag::Null).map(|()| false),
                _ => Err(self.not_json("a value")),
            }?;
            if !is_open && !self.next()? {
                return Ok(());
            }
        }
    }

    /// Opens an array or object. Returns whether a value follows; false if it is empty.
    fn open(&mut self, tag: Tag) -> Result<bool, Error> {
        if self.open.len() == MAX_DEPTH {
            return Err(Error::TooDeep {
                position: TextPosition::new(self.text, self.at),
            });
        }
        let is_object = tag == Tag::Object;
        self.open.push(Open {
            index: self.nodes.len(),
            count: if is_object { self.pending.len() } else { 0 },
            is_object,
        });
        self.nodes.push(Node::new(tag, 0, 0));
        self.at += 1;
        self.skip_whitespace();
        match (is_object, self.bytes.get(self.at)) {
            (true, Some(b'}')) | (false, Some(b']')) => {
                self.at += 1;
                self.close(0)?;
                Ok(false)
            }
            (true, _) => self.name().map(|()| true),
            (false, _) => Ok(true),
        }
    }

    /// Moves to the next value and closes arrays and objects that end. Returns false at the end of the document.
    fn next(&mut self) -> Result<bool, Error> {
        loop {
            self.skip_whitespace();
            let byte = self.bytes.get(self.at);
            let Some(open) = self.open.last_mut() else {
                return match byte {
                    None => Ok(false),
                    Some(_) => Err(self.not_json("the end of the document")),
                };
            };
            match (open.is_object, byte) {
                (false, Some(b',')) => {
                    open.count += 1;
                    self.at += 1;
                    return Ok(true);
                }
                (true, Some(b',')) => {
                    self.at += 1;
                    self.skip_whitespace();
                    self.name()?;
                    return Ok(true);
                }
                (false, Some(b']')) => {
                    let count = open.count + 1;
                    self.at += 1;
                    self.close(count)?;
                }
                (true, Some(b'}')) => {
                    let count = self.pending.len() - open.count;
                    self.at += 1;
                    self.close(count)?;
                }
                (true, _) => return Err(self.not_json("`,` or `}`")),
                (false, _) => return Err(self.not_json("`,` or `]`")),
            }
        }
    }

    /// Closes the innermost array or object, which has `count` elements or members.
    fn close(&mut self, count: usize) -> Result<(), Error> {
        let Some(open) = self.open.last() else {
            return Ok(());
        };
        let (index, first) = (open.index, open.count);
        let end = self.nodes.len();
        if open.is_object {
            let names = self.order.len();
            self.order.extend_from_slice(&self.pending[first..]);
            self.nodes[index] = Node::object(end, count, names);
            self.sort_names(names)?;
            self.pending.truncate(first);
        } else {
            self.nodes[index] = Node::new(Tag::Array, end, count);
        }
        self.open.pop();
        Ok(())
    }

    /// Sorts the member names of a closed object in canonical order and rejects duplicates.
    fn sort_names(&mut self, first: usize) -> Result<(), Error> {
        let (text, unescaped, nodes) = (self.text, &self.unescaped, &self.nodes);
        let name = |index: &u32| slice(text, unescaped, nodes[*index as usize]);
        let names = &mut self.order[first..];
        names.sort_unstable_by(|left, right| utf16_order::compare(name(left), name(right)));
        let duplicate = names
            .windows(2)
            .find(|pair| name(&pair[0]) == name(&pair[1]));
        match duplicate {
            None => Ok(()),
            Some(pair) => {
                let name = name(&pair[0]).to_owned();
                let depth = self.open.len() - 1;
                Err(Error::DuplicateName {
                    pointer: self.pointer(depth).member(&name),
                })
            }
        }
    }

    /// Parses a member name and the colon after it.
    fn name(&mut self) -> Result<(), Error> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(self.not_json("a member name in double quotes"));
        }
        let index = self.nodes.len();
        self.string()?;
        // At most 2^20 nodes: see `Node`.
        self.pending.push(index as u32);
        self.skip_whitespace();
        if self.bytes.get(self.at) != Some(&b':') {
            return Err(self.not_json("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Error> {
        let start = self.at + 1;
        let end = start + scan::plain_length(&self.bytes[start..]);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            self.nodes
                .push(Node::new(Tag::Verbatim, start, end - start));
            return Ok(());
        }
        let first = self.unescaped.len();
        self.at = start;
        self.unescape()?;
        self.nodes.push(Node::new(
            Tag::Unescaped,
            first,
            self.unescaped.len() - first,
        ));
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        let start = self.at;
        let (length, may_overflow) = scan::number(&self.bytes[start..]);
        if length == 0 {
            return Err(self.not_json("a number"));
        }
        self.at += length;
        let text = &self.text[start..self.at];
        if may_overflow && !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(Error::NumberOutOfRange {
                pointer: self.pointer(self.open.len()),
                found: excerpt(text),
            });
        }
        self.nodes.push(Node::new(Tag::Number, start, length));
        Ok(())
    }

    fn literal(&mut self, literal: &'static str, tag: Tag) -> Result<(), Error> {
        if !self.bytes[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.not_json("a value"));
        }
        self.at += literal.len();
        self.nodes.push(Node::new(tag, 0, 0));
        Ok(())
    }

    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// JSON pointer of the current value, limited to the outermost `depth` arrays and objects.
    fn pointer(&self, depth: usize) -> Pointer {
        let mut pointer = Pointer::root();
        for (level, open) in self.open.iter().enumerate().take(depth) {
            if !open.is_object {
                pointer = pointer.element(open.count);
                continue;
            }
            // The current name is the last one before the names of the next inner object.
            let inner = self.open[level + 1..].iter().find(|inner| inner.is_object);
            let end = inner.map_or(self.pending.len(), |inner| inner.count);
            if end > open.count {
                let name = self.nodes[self.pending[end - 1] as usize];
                pointer = pointer.member(slice(self.text, &self.unescaped, name));
            }
        }
        pointer
    }

    fn not_json(&self, expected: &'static str) -> Error {
        let found = match self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            None => "the end of the document".to_owned(),
            Some(character) => format!("`{}`", excerpt(character.encode_utf8(&mut [0; 4]))),
        };
        Error::NotJson {
            position: TextPosition::new(self.text, self.at),
            found,
            expected,
        }
    }
}

fn slice<'a>(text: &'a str, unescaped: &'a str, node: Node) -> &'a str {
    let source = if node.tag() == Tag::Unescaped {
        unescaped
    } else {
        text
    };
    &source[node.start()..node.start() + node.length()]
}

#[cfg(test)]
mod tests;
