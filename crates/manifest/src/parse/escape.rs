//! Strings with escapes.

use super::{Parser, scan};
use crate::{Error, TextPosition};

impl Parser<'_> {
    /// Appends the string after the opening quote to `unescaped`, and moves past the closing quote.
    pub(super) fn unescape(&mut self) -> Result<(), Error> {
        loop {
            let plain = scan::plain_length(&self.bytes[self.at..]);
            self.unescaped
                .push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let character = self.escape()?;
                    self.unescaped.push(character);
                }
                Some(_) => return Err(self.not_json("an escape instead of a control character")),
                None => return Err(self.not_json("`\"`")),
            }
        }
    }

    /// Parses one escape, or two that form a surrogate pair.
    fn escape(&mut self) -> Result<char, Error> {
        self.at += 1;
        let character = match self.bytes.get(self.at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.code_escape(),
            _ => return Err(self.not_json("one of \"\\/bfnrtu after a backslash")),
        };
        self.at += 1;
        Ok(character)
    }

    /// Parses `\uXXXX`, starting at the `u`.
    fn code_escape(&mut self) -> Result<char, Error> {
        let start = self.at - 1;
        let lone = |parser: &Self| Error::LoneSurrogate {
            position: TextPosition::new(parser.text, start),
            pointer: parser.pointer(parser.open.len()),
        };
        let first = self.code_unit()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if !(0xD800..0xDC00).contains(&first) || !self.bytes[self.at..].starts_with(b"\\u") {
            return Err(lone(self));
        }
        self.at += 1;
        let second = self.code_unit()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(lone(self));
        }
        char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            .ok_or_else(|| lone(self))
    }

    /// Parses the `u` and four hex digits.
    fn code_unit(&mut self) -> Result<u32, Error> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self
                .bytes
                .get(self.at)
                .and_then(|byte| char::from(*byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.not_json("four hex digits after \\u"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}
