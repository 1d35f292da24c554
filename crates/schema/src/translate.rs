//! Translates ECMA-262 regular expressions (with the `u` flag, as JSON Schema recommends) to the syntax of the `regex` crates.
//!
//! The two differ in the characters that `\d`, `\w`, `\s`, `\b` and `.` match, in escapes, and in the characters that are special
//! inside a class. Two habits of patterns written without the `u` flag are accepted: escaped punctuation and literal braces.

use std::fmt::Write;

const SPACE: &str = r"\t\n\x0B\x0C\r\x{20}\x{A0}\x{FEFF}\x{2028}\x{2029}\p{Zs}";

/// The error is the reason, without the pattern. The syntax that both have in common is checked by the `regex` crates.
pub(crate) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator = Translator {
        rest: pattern,
        out: String::with_capacity(pattern.len() * 2),
    };
    while let Some(character) = translator.next() {
        translator.item(character)?;
    }
    Ok(translator.out)
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
}

/// An escape: a character, or a class or assertion in the syntax of the `regex` crates.
enum Atom {
    Character(char),
    Class(String),
}

impl<'a> Translator<'a> {
    fn next(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = &self.rest[character.len_utf8()..];
        Some(character)
    }

    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the text before `end`, and `end`.
    fn take_until(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn push(&mut self, atom: Atom) {
        match atom {
            Atom::Class(class) => self.out.push_str(&class),
            Atom::Character(character) if character.is_ascii_alphanumeric() => {
                self.out.push(character);
            }
            Atom::Character(character) => {
                // Writing to a string cannot fail.
                let _ = write!(self.out, r"\x{{{:X}}}", u32::from(character));
            }
        }
    }

    fn item(&mut self, character: char) -> Result<(), String> {
        match character {
            '^' | '$' | '|' | ')' | '*' | '+' | '?' => self.out.push(character),
            '(' => self.group()?,
            '[' => self.class()?,
            '.' => self.out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            '{' => self.brace(),
            '\\' if self.take("b") => self.out.push_str(r"(?-u:\b)"),
            '\\' if self.take("B") => self.out.push_str(r"(?-u:\B)"),
            '\\' => {
                let atom = self.escape()?;
                self.push(atom);
            }
            literal => self.push(Atom::Character(literal)),
        }
        Ok(())
    }

    /// `{n}`, `{n,}` or `{n,m}`; otherwise a literal brace.
    fn brace(&mut self) {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let bounds = self.rest.split_once('}').map(|(bounds, _)| bounds);
        let is_quantifier = bounds.is_some_and(|bounds| {
            let (min, max) = bounds.split_once(',').unwrap_or((bounds, ""));
            !min.is_empty() && digits(min) && digits(max)
        });
        match bounds.filter(|_| is_quantifier) {
            Some(bounds) => {
                self.out.extend(["{", bounds, "}"]);
                self.take_until('}');
            }
            None => self.push(Atom::Character('{')),
        }
    }

    fn group(&mut self) -> Result<(), String> {
        self.out.push_str("(?:");
        if !self.take("?") || self.take(":") {
            return Ok(());
        }
        if ["=", "!", "<=", "<!"]
            .iter()
            .any(|look| self.rest.starts_with(look))
        {
            return Err("lookaround is not supported".into());
        }
        // A named group. Nothing can refer to the name: backreferences are not supported.
        if self.take("<") && self.take_until('>').is_some() {
            return Ok(());
        }
        Err("flags in groups are not supported".into())
    }

    /// A class after its opening bracket.
    fn class(&mut self) -> Result<(), String> {
        let is_negated = self.take("^");
        if self.take("]") {
            // `[]` matches nothing and `[^]` any character.
            let negation = if is_negated { "" } else { "^" };
            self.out.extend(["[", negation, r"\x{0}-\x{10FFFF}]"]);
            return Ok(());
        }
        self.out.push_str(if is_negated { "[^" } else { "[" });
        // Whether the last atom is a character that can start a range.
        let mut can_start = false;
        loop {
            let is_range = can_start && self.rest.starts_with('-') && !self.is_last_hyphen();
            if is_range {
                self.next();
                self.out.push('-');
            }
            let atom = match self.next() {
                None => return Err("a class is not closed".into()),
                Some(']') => break,
                Some('\\') if self.take("b") => Atom::Character('\u{8}'),
                Some('\\') => self.escape()?,
                Some(literal) => Atom::Character(literal),
            };
            can_start = !is_range && matches!(atom, Atom::Character(_));
            self.push(atom);
        }
        self.out.push(']');
        Ok(())
    }

    /// Whether the hyphen is a literal: at the end of the class or before a class, as in `[a-]` and `[a-\d]`.
    fn is_last_hyphen(&self) -> bool {
        let next = self.rest[1..].trim_start_matches('\\');
        let is_escape = self.rest.starts_with(r"-\");
        self.rest.starts_with("-]")
            || (is_escape && next.starts_with(['d', 'D', 'w', 'W', 's', 'S', 'p', 'P']))
    }

    /// The rest of an escape after the backslash.
    fn escape(&mut self) -> Result<Atom, String> {
        let class = |class: &str| Ok(Atom::Class(class.into()));
        let character = match self.next().ok_or("it ends with a backslash")? {
            'd' => return class("[0-9]"),
            'D' => return class("[^0-9]"),
            'w' => return class("[0-9A-Za-z_]"),
            'W' => return class("[^0-9A-Za-z_]"),
            's' => return class(&format!("[{SPACE}]")),
            'S' => return class(&format!("[^{SPACE}]")),
            letter @ ('p' | 'P') => {
                // The property names of Unicode are the same in both syntaxes.
                let name = if self.take("{") {
                    self.take_until('}')
                } else {
                    None
                };
                let name = name.filter(|name| !name.contains(['^', '{']));
                let name = name.ok_or(r"\p must be followed by a property in braces")?;
                return class(&format!(r"\{letter}{{{name}}}"));
            }
            't' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => char::from(letter as u8 % 32),
                _ => return Err(r"\c must be followed by a letter".into()),
            },
            'x' => self
                .hex(2)
                .and_then(char::from_u32)
                .ok_or(r"\x must be followed by two hexadecimal digits")?,
            'u' => self
                .unicode()
                .ok_or(r"\u must be followed by a Unicode scalar value")?,
            '0' if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => '\0',
            '0'..='9' | 'k' => return Err("backreferences are not supported".into()),
            letter if letter.is_ascii_alphabetic() => {
                return Err(format!(r"the escape \{letter} is not supported"));
            }
            punctuation => punctuation,
        };
        Ok(Atom::Character(character))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let (text, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(text, 16).ok().filter(|_| is_hex)
    }

    /// `\uXXXX`, a surrogate pair of two of them, or `\u{…}`.
    fn unicode(&mut self) -> Option<char> {
        if self.take("{") {
            let digits = self.rest.find('}')?;
            let code = self.hex(digits)?;
            self.next();
            return char::from_u32(code);
        }
        let high = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high);
        }
        let low = if self.take(r"\u") { self.hex(4)? } else { 0 };
        char::decode_utf16([high as u16, low as u16]).next()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        budget::Budget,
        pattern::{Pattern, States},
    };

    fn matches(pattern: &str, text: &str) -> bool {
        let compiled = Pattern::compile(pattern, &mut Budget::default());
        compiled
            .unwrap_or_else(|reason| panic!("{pattern}: {reason}"))
            .is_match(text, &mut States::default(), &mut Budget::default())
            .unwrap()
    }

    #[test]
    fn classes_are_those_of_ecma_262() {
        for (pattern, yes, no) in [
            (r"^\d$", "5", "\u{966}"),
            (r"^\D$", "\u{966}", "5"),
            (r"^\w$", "_", "é"),
            (r"^\W$", "é", "A"),
            (r"^\s$", "\u{feff}", "\u{180e}"),
            (r"^\s$", "\u{2003}", "x"),
            (r"^\S$", "x", "\u{2028}"),
            (r"^.$", "é", "\u{2029}"),
            (r"^.$", "\u{85}", "\r"),
            (r"^[\d\-x]$", "-", "\\"),
            (r"^[^\s\d]$", "x", "7"),
            (r"^[\W]$", "-", "a"),
            (r"^\cJ$", "\n", "J"),
            (r"^\ca$", "\u{1}", "a"),
            (r"^\x41\u0042\u{43}$", "ABC", "abc"),
            (r"^\uD83D\uDE00$", "\u{1f600}", "\u{1f601}"),
            (r"^\0$", "\0", "0"),
            (r"^\t\n\v\f\r$", "\t\n\u{b}\u{c}\r", "tnvfr"),
            (r"^[\b]$", "\u{8}", "b"),
            (r"^\p{Lu}\P{Lu}$", "Éé", "éÉ"),
            (r"^\p{Script=Greek}$", "λ", "l"),
            (r"^[\p{L}\p{N} _-]+$", "Zürich 8", "a.b"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes:?}");
            assert!(!matches(pattern, no), "{pattern} {no:?}");
        }
    }

    #[test]
    fn literals_are_literal() {
        for (pattern, yes, no) in [
            (r"^a/b\/c\-d\@$", "a/b/c-d@", "a"),
            (r"^[[&&]$", "&", "]"),
            (r"^[a&&b]$", "&", "c"),
            (r"^[~~!--z]$", "-", "a"),
            (r"^[a-]$", "-", "b"),
            (r"^[-a]$", "-", "b"),
            (r"^[\w-.]$", "-", ","),
            (r"^[a-\d]$", "-", "b"),
            (r"^[\]]$", "]", "\\"),
            (r"^[]$|^x$", "x", "]"),
            (r"^[^]$", "\n", ""),
            (r"^{a}$", "{a}", "a"),
            (r"^a{,2}$", "a{,2}", "aa"),
            (r"^a{2}$", "aa", "a{2}"),
            (r"^(?:a{2,}?b{1,2})$", "aaabb", "ab"),
            (r"^]}$", "]}", "}"),
            (r"^#x y$", "#x y", "#xy"),
            (r"^(?<year>\d{4})(-\d\d)??$", "2026-11", "2026-"),
            (r"^[!-/]$", "#", "0"),
            (r"^[\x41-\u0043]$", "B", "D"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes:?}");
            assert!(!matches(pattern, no), "{pattern} {no:?}");
        }
    }

    #[test]
    fn unsupported_and_invalid_syntax_is_named() {
        // I-13
        for (pattern, expected) in [
            ("(?=a)b", "lookaround"),
            ("(?!a)b", "lookaround"),
            ("(?<=a)b", "lookaround"),
            ("(?<!a)b", "lookaround"),
            (r"(a)\1", "backreferences"),
            (r"(?<n>a)\k<n>", "backreferences"),
            (r"\01", "backreferences"),
            ("(?i)a", "flags"),
            ("(?i:a)", "flags"),
            ("(?<n", "flags"),
            (r"\Z", r"\Z"),
            (r"\a", r"\a"),
            (r"\c1", r"\c"),
            (r"\x4", r"\x"),
            (r"\u00", r"\u"),
            (r"\uD800", r"\u"),
            (r"\uD800\u0041", r"\u"),
            (r"\u{110000}", r"\u"),
            (r"\u{+41}", r"\u"),
            (r"\pL", r"\p"),
            (r"\p{}", "valid"),
            (r"\p{a}|\p{^L}", r"\p"),
            ("*a", "valid"),
            ("a|+", "valid"),
            ("({2})", "valid"),
            ("[a", "class"),
            ("[a-", "class"),
            ("[z-a]", "valid"),
            ("a\\", "backslash"),
            ("(", "valid"),
            (")", "valid"),
            (r"\p{Nonsense}", "valid"),
            ("a{2,1}", "valid"),
        ] {
            let reason = Pattern::compile(pattern, &mut Budget::default()).unwrap_err();
            assert!(reason.contains(expected), "{pattern}: {reason}");
        }
    }
}
