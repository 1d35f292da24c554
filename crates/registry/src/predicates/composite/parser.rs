//! Parser of formulas: `and`, `or`, `not`, `any(…)`, `all(…)` and parentheses around leaves of any kind.

use std::fmt;

use super::formula::{Formula, Literal};
use crate::Logic;

/// Maximum depth of parentheses.
const MAX_DEPTH: usize = 32;

/// The text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The first character that does not fit, counted from 1.
    pub position: usize,
    /// The text at the position, shortened and escaped; `None` at the end.
    pub found: Option<String>,
    /// What fits there.
    pub expected: String,
}

impl std::error::Error for SyntaxError {}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            position, expected, ..
        } = self;
        write!(f, "at character {position}: expected {expected}, found ")?;
        match &self.found {
            Some(found) => write!(f, "`{found}`"),
            None => f.write_str("the end"),
        }
    }
}

/// Parses a formula. `not` binds tighter than `and`, and `and` tighter than `or`. Keywords can be in upper case.
///
/// `leaf` parses a leaf; its last argument is whether the leaf is negated. `noun` names leaves in errors.
pub(crate) fn parse<T, E: From<SyntaxError>>(
    text: &str,
    noun: &'static str,
    leaf: impl FnMut(&mut Cursor<'_>, bool) -> Result<T, E>,
) -> Result<Formula<T>, E> {
    let mut parser = Parser {
        cursor: Cursor { text, at: 0 },
        noun,
        leaf,
        depth: 0,
    };
    let formula = parser.any(false)?;
    if parser.cursor.rest().is_empty() {
        return Ok(formula);
    }
    Err(parser.cursor.error("`and`, `or` or the end").into())
}

/// A position in the text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// In bytes, at the boundary of a character.
    at: usize,
}

/// Ends a word.
fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | ')' | ',')
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Position of the next character, counted from 1.
    pub(crate) fn position(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(crate) fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(crate) fn accept(&mut self, character: char) -> bool {
        let found = self.rest().starts_with(character);
        self.at += if found { character.len_utf8() } else { 0 };
        found
    }

    pub(crate) fn expect(&mut self, character: char, expected: &str) -> Result<(), SyntaxError> {
        if self.accept(character) {
            return Ok(());
        }
        Err(self.error(expected))
    }

    pub(crate) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !accept(character));
        let taken = &rest[..end.unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Text up to a space, a parenthesis or a comma.
    pub(crate) fn take_word(&mut self) -> &'a str {
        self.take_while(|character| !is_delimiter(character))
    }

    /// Parses with `parse`; if it fails, returns to the start, which is then the position of the error.
    pub(crate) fn parse<R>(
        &mut self,
        expected: &str,
        parse: impl FnOnce(&mut Self) -> Option<R>,
    ) -> Result<R, SyntaxError> {
        let start = self.at;
        parse(self).ok_or_else(|| {
            self.at = start;
            self.error(expected)
        })
    }

    /// An error at this position.
    pub(crate) fn error(&self, expected: impl Into<String>) -> SyntaxError {
        let rest = self.rest();
        let word = rest.find(is_delimiter).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let found = &rest[..word.max(first)];
        SyntaxError {
            position: self.position(),
            found: (!found.is_empty()).then(|| atr_ids::excerpt(found)),
            expected: expected.into(),
        }
    }

    fn skip_whitespace(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn accept_keyword(&mut self, keyword: &str) -> bool {
        let start = self.at;
        let is_part = |character: char| character.is_alphanumeric() || "-_:.".contains(character);
        let found = self.take_while(is_part).eq_ignore_ascii_case(keyword);
        if !found {
            self.at = start;
        }
        found
    }
}

struct Parser<'a, L> {
    cursor: Cursor<'a>,
    noun: &'static str,
    leaf: L,
    depth: usize,
}

impl<T, E, L> Parser<'_, L>
where
    E: From<SyntaxError>,
    L: FnMut(&mut Cursor<'_>, bool) -> Result<T, E>,
{
    /// A list separated by `or`. If negated, its parts are negated and combined with ALL (De Morgan).
    fn any(&mut self, negate: bool) -> Result<Formula<T>, E> {
        let mut parts = vec![self.all(negate)?];
        while self.cursor.accept_keyword("or") {
            parts.push(self.all(negate)?);
        }
        Ok(group(Logic::Any, negate, parts))
    }

    /// A list separated by `and`.
    fn all(&mut self, negate: bool) -> Result<Formula<T>, E> {
        let mut parts = vec![self.operand(negate)?];
        while self.cursor.accept_keyword("and") {
            parts.push(self.operand(negate)?);
        }
        Ok(group(Logic::All, negate, parts))
    }

    /// Ends at the next token.
    fn operand(&mut self, mut negate: bool) -> Result<Formula<T>, E> {
        self.cursor.skip_whitespace();
        while self.cursor.accept_keyword("not") {
            negate = !negate;
            self.cursor.skip_whitespace();
        }
        let operand = self.operand_after_not(negate)?;
        self.cursor.skip_whitespace();
        Ok(operand)
    }

    fn operand_after_not(&mut self, negate: bool) -> Result<Formula<T>, E> {
        if self.cursor.peek() == Some('(') {
            return self.parentheses(None, negate);
        }
        for (keyword, logic) in [("any", Logic::Any), ("all", Logic::All)] {
            if self.cursor.accept_keyword(keyword) {
                self.cursor.skip_whitespace();
                return self.parentheses(Some(logic), negate);
            }
        }
        let is_keyword = ["and", "or"].into_iter().any(|keyword| {
            let start = self.cursor.at;
            let found = self.cursor.accept_keyword(keyword);
            self.cursor.at = start;
            found
        });
        let is_leaf = self.cursor.peek().is_some_and(|next| !is_delimiter(next));
        if is_keyword || !is_leaf {
            return Err(self.cursor.error(self.noun).into());
        }
        let leaf = (self.leaf)(&mut self.cursor, negate)?;
        Ok(Formula::Literal(Literal { leaf, negate }))
    }

    /// A formula in parentheses, or with `logic` a list of formulas separated by commas.
    fn parentheses(&mut self, logic: Option<Logic>, negate: bool) -> Result<Formula<T>, E> {
        self.cursor.expect('(', "`(`")?;
        if self.depth == MAX_DEPTH {
            let expected = format!("at most {MAX_DEPTH} levels of parentheses");
            return Err(self.cursor.error(expected).into());
        }
        self.depth += 1;
        let mut parts = vec![self.any(negate)?];
        while logic.is_some() && self.cursor.accept(',') {
            parts.push(self.any(negate)?);
        }
        self.depth -= 1;
        let expected = match logic {
            Some(_) => "`,`, `)`, `and` or `or`",
            None => "`)`, `and` or `or`",
        };
        self.cursor.expect(')', expected)?;
        Ok(group(logic.unwrap_or(Logic::Any), negate, parts))
    }
}

fn group<T>(logic: Logic, negate: bool, parts: Vec<Formula<T>>) -> Formula<T> {
    Formula::group(if negate { logic.other() } else { logic }, parts)
}
