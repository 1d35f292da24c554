//! Translates ECMA-262 regular expressions (with the `u` flag, as JSON Schema recommends) to the syntax of the `regex` crates.
//!
//! The two differ in what `\d`, `\w`, `\s`, `\b` and `.` match, in escapes, and in the characters that are special inside a
//! class. Two habits of patterns written without the `u` flag are accepted: escaped punctuation and literal braces.

use std::fmt::Write;

const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = r"\t\n\x0B\x0C\r\x{20}\x{A0}\x{FEFF}\x{2028}\x{2029}\p{Zs}";

/// The error is the reason, without the pattern.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator = Translator {
        rest: pattern,
        out: String::with_capacity(pattern.len() * 2),
    };
    translator.pattern()?;
    Ok(translator.out)
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
}

/// A character, or a class such as `\d`, in a character class.
enum Atom {
    Character(char),
    /// In the syntax of the `regex` crates.
    Class(String),
}

impl Translator<'_> {
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

    fn push(&mut self, character: char) {
        if character.is_ascii_alphanumeric() {
            self.out.push(character);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(self.out, r"\x{{{:X}}}", u32::from(character));
        }
    }

    fn pattern(&mut self) -> Result<(), String> {
        let mut can_repeat = false;
        while let Some(character) = self.next() {
            let was_repeatable = std::mem::replace(&mut can_repeat, true);
            match character {
                '^' | '$' | '|' => {
                    self.out.push(character);
                    can_repeat = false;
                }
                '(' => {
                    self.group()?;
                    can_repeat = false;
                }
                ')' => self.out.push(')'),
                '[' => self.class()?,
                '.' => self.out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
                '\\' => can_repeat = self.escape()?,
                '*' | '+' | '?' => {
                    self.out.push(character);
                    can_repeat = self.quantified(was_repeatable)?;
                }
                '{' => match self.bounds() {
                    Some(bounds) => {
                        self.out.push_str(&bounds);
                        can_repeat = self.quantified(was_repeatable)?;
                    }
                    None => self.push('{'),
                },
                literal => self.push(literal),
            }
        }
        Ok(())
    }

    /// The rest of a quantifier. A quantifier cannot be repeated.
    fn quantified(&mut self, was_repeatable: bool) -> Result<bool, String> {
        if !was_repeatable {
            return Err("a quantifier has nothing to repeat".into());
        }
        if self.take("?") {
            self.out.push('?');
        }
        Ok(false)
    }

    /// `{n}`, `{n,}` or `{n,m}` after the opening brace; `None` if the brace is a literal.
    fn bounds(&mut self) -> Option<String> {
        let (bounds, rest) = self.rest.split_once('}')?;
        let (min, max) = bounds.split_once(',').unwrap_or((bounds, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if min.is_empty() || !is_number(min) || !is_number(max) {
            return None;
        }
        self.rest = rest;
        Some(format!("{{{bounds}}}"))
    }

    fn group(&mut self) -> Result<(), String> {
        self.out.push_str("(?:");
        if !self.take("?") || self.take(":") {
            return Ok(());
        }
        if self.rest.starts_with(['=', '!'])
            || self.rest.starts_with("<=")
            || self.rest.starts_with("<!")
        {
            return Err("lookaround is not supported".into());
        }
        // A named group. Nothing can refer to the name: backreferences are not supported.
        let name = self
            .rest
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'));
        let Some((_, rest)) = name else {
            return Err("flags in groups are not supported".into());
        };
        self.rest = rest;
        Ok(())
    }

    /// An escape outside of a class. False if it cannot be repeated.
    fn escape(&mut self) -> Result<bool, String> {
        for (escape, translation) in [("b", r"(?-u:\b)"), ("B", r"(?-u:\B)")] {
            if self.take(escape) {
                self.out.push_str(translation);
                return Ok(false);
            }
        }
        match self.atom()? {
            Atom::Character(character) => self.push(character),
            Atom::Class(class) => self.out.push_str(&class),
        }
        Ok(true)
    }

    /// What follows a backslash.
    fn atom(&mut self) -> Result<Atom, String> {
        let Some(character) = self.next() else {
            return Err("it ends with a backslash".into());
        };
        let class = |class: &str| Ok(Atom::Class(format!("[{class}]")));
        let negated = |class: &str| Ok(Atom::Class(format!("[^{class}]")));
        let character = match character {
            'd' => return class(DIGIT),
            'D' => return negated(DIGIT),
            'w' => return class(WORD),
            'W' => return negated(WORD),
            's' => return class(SPACE),
            'S' => return negated(SPACE),
            'p' | 'P' => return self.property(character),
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
            'u' => self.unicode()?,
            '0' if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => '\0',
            '0'..='9' | 'k' => return Err("backreferences are not supported".into()),
            letter if letter.is_ascii_alphabetic() => {
                return Err(format!(r"the escape \{letter} is not supported"));
            }
            punctuation => punctuation,
        };
        Ok(Atom::Character(character))
    }

    /// `\p{…}`: the property names of Unicode are the same in both syntaxes.
    fn property(&mut self, letter: char) -> Result<Atom, String> {
        let name = self
            .rest
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'));
        let Some((name, rest)) = name else {
            return Err(format!(
                r"\{letter} must be followed by a property in braces"
            ));
        };
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '=');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!(r"\{letter} has an invalid property name"));
        }
        self.rest = rest;
        Ok(Atom::Class(format!(r"\{letter}{{{name}}}")))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = &self.rest[digits..];
        u32::from_str_radix(text, 16).ok()
    }

    /// `\uXXXX`, a surrogate pair of two of them, or `\u{…}`.
    fn unicode(&mut self) -> Result<char, String> {
        const INVALID: &str =
            r"\u must be followed by a Unicode scalar value in hexadecimal digits";
        if self.take("{") {
            let (digits, rest) = self.rest.split_once('}').ok_or(INVALID)?;
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex);
            self.rest = rest;
            return code.and_then(char::from_u32).ok_or_else(|| INVALID.into());
        }
        let unit = self.hex(4).ok_or(INVALID)?;
        if (0xD800..0xDC00).contains(&unit) && self.take(r"\u") {
            let low = self
                .hex(4)
                .filter(|low| (0xDC00..0xE000).contains(low))
                .ok_or(INVALID)?;
            let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return char::from_u32(code).ok_or_else(|| INVALID.into());
        }
        char::from_u32(unit).ok_or_else(|| INVALID.into())
    }

    /// A class after its opening bracket.
    fn class(&mut self) -> Result<(), String> {
        let is_negated = self.take("^");
        if self.take("]") {
            // `[]` matches nothing and `[^]` any character.
            self.out.push_str(if is_negated {
                r"[\x{0}-\x{10FFFF}]"
            } else {
                r"[^\x{0}-\x{10FFFF}]"
            });
            return Ok(());
        }
        self.out.push_str(if is_negated { "[^" } else { "[" });
        loop {
            let Some(atom) = self.class_atom()? else {
                self.out.push(']');
                return Ok(());
            };
            let Atom::Character(first) = atom else {
                self.class_push(atom);
                continue;
            };
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            self.push(first);
            if !is_range {
                continue;
            }
            self.next();
            match self.class_atom()? {
                Some(Atom::Character(last)) if first <= last => {
                    self.out.push('-');
                    self.push(last);
                }
                Some(Atom::Character(_)) => return Err("a range of a class is out of order".into()),
                // `[a-\d]`: the hyphen is a literal.
                Some(class) => {
                    self.push('-');
                    self.class_push(class);
                }
                None => return Err("a class is not closed".into()),
            }
        }
    }

    fn class_push(&mut self, atom: Atom) {
        match atom {
            Atom::Character(character) => self.push(character),
            Atom::Class(class) => self.out.push_str(&class),
        }
    }

    /// The next atom of a class; `None` at its end.
    fn class_atom(&mut self) -> Result<Option<Atom>, String> {
        match self.next() {
            None => Err("a class is not closed".into()),
            Some(']') => Ok(None),
            Some('\\') if self.take("b") => Ok(Some(Atom::Character('\u{8}'))),
            Some('\\') => self.atom().map(Some),
            Some(literal) => Ok(Some(Atom::Character(literal))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, PatternUsage, States};
    use crate::budget::Budget;

    fn matches(pattern: &str, text: &str) -> bool {
        let compiled = Pattern::compile(pattern, &mut PatternUsage::default());
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
            (r"\p{}", r"\p"),
            (r"\p{a}|\p{^L}", r"\p"),
            ("a**", "quantifier"),
            ("a++", "quantifier"),
            ("*a", "quantifier"),
            ("^*", "quantifier"),
            ("a|+", "quantifier"),
            ("({2})", "quantifier"),
            (r"\b+", "quantifier"),
            ("[a", "class"),
            ("[a-", "class"),
            ("[z-a]", "range"),
            ("a\\", "backslash"),
            ("(", "valid"),
            (")", "valid"),
            (r"\p{Nonsense}", "valid"),
            ("a{2,1}", "valid"),
        ] {
            let reason = Pattern::compile(pattern, &mut PatternUsage::default()).unwrap_err();
            assert!(reason.contains(expected), "{pattern}: {reason}");
        }
    }
}
