//! The conditions of a gate and their text form.

use std::fmt;

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;
use serde::Serialize;

use super::GateError;
use crate::predicates::{
    composite::parser::{Cursor, SyntaxError},
    erc1155_owner::CollectionTokens,
};

/// What an account must have. Each condition is the configuration of one predicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "condition",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named after the predicates")]
pub enum Condition {
    /// A token of any of the collections.
    Erc721 { collections: Vec<Address> },
    /// Any of the tokens.
    Erc1155 { tokens: Vec<CollectionTokens> },
    /// A minimum balance, in units of the token.
    Erc20 { token: Address, amount: TokenAmount },
    /// An active subscription of a minimum tier.
    Subscription { collection: Address, min_tier: u8 },
    /// Being on any of these lists, which the caller of the library reads.
    Allowlist { lists: Vec<String> },
    /// A signature of the account.
    AccessProof,
}

/// The conditions in errors and help.
const FORMS: &str = "a condition: erc721:ADDRESS, erc1155:ADDRESS:ID,ID, erc20:ADDRESS:AMOUNT, \
                     subscription:ADDRESS[:TIER], allowlist:FILE or access-proof";

impl Condition {
    /// The predicate that checks the condition.
    #[must_use]
    pub const fn kind(&self) -> PredicateKind {
        match self {
            Self::Erc721 { .. } => PredicateKind::Erc721,
            Self::Erc1155 { .. } => PredicateKind::Erc1155,
            Self::Erc20 { .. } => PredicateKind::Erc20,
            Self::Subscription { .. } => PredicateKind::Subscription,
            Self::Allowlist { .. } => PredicateKind::Allowlist,
            Self::AccessProof => PredicateKind::AccessProof,
        }
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>, negate: bool) -> Result<Self, GateError> {
        let position = cursor.position();
        let condition = Self::parse_form(cursor, position)?;
        if negate && condition.kind().reads_call_data() {
            return Err(GateError::CannotBeNegated {
                position,
                condition: condition.to_string(),
            });
        }
        Ok(condition)
    }

    fn parse_form(cursor: &mut Cursor<'_>, position: usize) -> Result<Self, GateError> {
        let start = cursor.error(FORMS);
        let name = cursor.take_while(|next| next.is_ascii_alphanumeric() || next == '-');
        let name = name.to_ascii_lowercase();
        Ok(match name.as_str() {
            "erc721" => Self::Erc721 {
                collections: vec![address(cursor, "the address of a collection")?],
            },
            "erc1155" => Self::Erc1155 {
                tokens: vec![CollectionTokens {
                    collection: address(cursor, "the address of a collection")?,
                    token_ids: token_ids(cursor)?,
                }],
            },
            "erc20" => Self::Erc20 {
                token: address(cursor, "the address of a token")?,
                amount: argument(
                    cursor,
                    "an amount above zero in units of the token, such as 100 or 0.5",
                    |cursor| TokenAmount::parse(cursor.take_word()),
                )?,
            },
            "subscription" => Self::Subscription {
                collection: address(cursor, "the address of a collection")?,
                min_tier: match cursor.peek() {
                    Some(':') => argument(cursor, "a tier from 0 to 255", |cursor| {
                        let digits = cursor.take_word();
                        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
                        is_number.then(|| digits.parse().ok()).flatten()
                    })?,
                    _ => 0,
                },
            },
            "allowlist" => Self::Allowlist {
                lists: vec![list_name(cursor)?],
            },
            "access-proof" => Self::AccessProof,
            "deny" => {
                let list = list_name(cursor)?;
                return Err(GateError::DenyList { position, list });
            }
            _ => return Err(start.into()),
        })
    }

    /// Adds the alternatives of another condition, if one configuration of the predicate can hold both: access for accounts that
    /// meet either of them.
    pub(super) fn try_merge(&mut self, other: &Self) -> bool {
        match (self, other) {
            (Self::Erc721 { collections }, Self::Erc721 { collections: more }) => {
                extend(collections, more);
            }
            (Self::Erc1155 { tokens }, Self::Erc1155 { tokens: more }) => {
                for entry in more {
                    let existing = tokens
                        .iter_mut()
                        .find(|existing| existing.collection == entry.collection);
                    match existing {
                        Some(existing) => extend(&mut existing.token_ids, &entry.token_ids),
                        None => tokens.push(entry.clone()),
                    }
                }
            }
            (Self::Allowlist { lists }, Self::Allowlist { lists: more }) => extend(lists, more),
            (this, other) => return this == other,
        }
        true
    }
}

fn extend<T: Clone + PartialEq>(list: &mut Vec<T>, more: &[T]) {
    for entry in more {
        if !list.contains(entry) {
            list.push(entry.clone());
        }
    }
}

/// A colon and a value.
fn argument<R>(
    cursor: &mut Cursor<'_>,
    expected: &str,
    parse: impl FnOnce(&mut Cursor<'_>) -> Option<R>,
) -> Result<R, SyntaxError> {
    cursor.expect(':', &format!("`:` and {expected}"))?;
    cursor.parse(expected, parse)
}

/// A colon and an address.
fn address(cursor: &mut Cursor<'_>, expected: &str) -> Result<Address, SyntaxError> {
    let mut has_checksum_error = false;
    let parsed = argument(cursor, expected, |cursor| {
        let text = cursor.take_while(|next| next.is_ascii_alphanumeric());
        let parsed = atr_ids::parse_checksummed_address(text);
        has_checksum_error = matches!(parsed, Err(atr_ids::Error::Checksum { .. }));
        parsed.ok()
    });
    parsed.map_err(|mut error| {
        if has_checksum_error {
            error.expected += " with a valid EIP-55 checksum";
        }
        error
    })
}

/// Ids separated by commas. A comma before anything else separates conditions.
fn token_ids(cursor: &mut Cursor<'_>) -> Result<Vec<U256>, SyntaxError> {
    const EXPECTED: &str = "a token id";
    let id = |cursor: &mut Cursor<'_>| {
        let digits = cursor.take_while(|next| next.is_ascii_alphanumeric());
        atr_ids::parse_decimal(digits).ok()
    };
    let mut ids = vec![argument(cursor, EXPECTED, id)?];
    let is_digit = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
    while cursor.peek() == Some(',') && is_digit(cursor.peek_second()) {
        cursor.accept(',');
        let next = cursor.parse(EXPECTED, id)?;
        extend(&mut ids, &[next]);
    }
    Ok(ids)
}

/// Name of a list, in quotes if it has spaces, commas or parentheses.
fn list_name(cursor: &mut Cursor<'_>) -> Result<String, SyntaxError> {
    let name = |cursor: &mut Cursor<'_>| {
        let quote = cursor.peek().filter(|next| QUOTES.contains(next));
        let name = match quote {
            Some(quote) => {
                cursor.accept(quote);
                let name = cursor.take_while(|next| next != quote);
                cursor.accept(quote).then_some(name)?
            }
            None => cursor.take_word(),
        };
        (!name.is_empty()).then(|| name.to_owned())
    };
    argument(
        cursor,
        "a file name, in quotes if it has spaces, commas or parentheses",
        name,
    )
}

const QUOTES: [char; 2] = ['"', '\''];

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alternatives: Vec<_> = match self {
            Self::Erc721 { collections } => {
                let collections = collections.iter();
                collections
                    .map(|collection| format!("erc721:{collection}"))
                    .collect()
            }
            Self::Erc1155 { tokens } => {
                let tokens = tokens.iter().map(|entry| {
                    let ids: Vec<_> = entry.token_ids.iter().map(ToString::to_string).collect();
                    format!("erc1155:{}:{}", entry.collection, ids.join(","))
                });
                tokens.collect()
            }
            Self::Erc20 { token, amount } => vec![format!("erc20:{token}:{amount}")],
            Self::Subscription {
                collection,
                min_tier: 0,
            } => vec![format!("subscription:{collection}")],
            Self::Subscription {
                collection,
                min_tier,
            } => vec![format!("subscription:{collection}:{min_tier}")],
            Self::Allowlist { lists } => {
                let lists = lists.iter();
                lists
                    .map(|list| format!("allowlist:{}", quoted(list)))
                    .collect()
            }
            Self::AccessProof => vec!["access-proof".to_owned()],
        };
        match alternatives.as_slice() {
            [one] => f.write_str(one),
            several => write!(f, "any({})", several.join(", ")),
        }
    }
}

fn quoted(name: &str) -> String {
    let is_special =
        |next: char| next.is_whitespace() || matches!(next, '(' | ')' | ',') || next == '"';
    if !name.contains(is_special) && !name.starts_with(QUOTES) {
        return name.to_owned();
    }
    let quote = if name.contains('"') { '\'' } else { '"' };
    format!("{quote}{name}{quote}")
}

/// An amount above zero in units of a token, with an optional fraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TokenAmount(String);

impl TokenAmount {
    /// Most digits before and after the point, more than any amount has.
    const MAX_DIGITS: usize = 78;

    /// Parses digits with an optional fraction; `None` if the text is something else, or zero. Zeros at the ends are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| {
            (1..=Self::MAX_DIGITS).contains(&digits.len())
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        match (whole, fraction) {
            ("", "") => None,
            (whole, "") => Some(Self(whole.to_owned())),
            ("", fraction) => Some(Self(format!("0.{fraction}"))),
            (whole, fraction) => Some(Self(format!("{whole}.{fraction}"))),
        }
    }

    /// The amount in base units of a token with these decimals; `None` if it has more digits after the point than the token,
    /// or is too large.
    #[must_use]
    pub fn to_base_units(&self, decimals: u8) -> Option<U256> {
        let (whole, fraction) = self.0.split_once('.').unwrap_or((&self.0, ""));
        let zeros = usize::from(decimals).checked_sub(fraction.len())?;
        let digits = format!("{whole}{fraction}{}", "0".repeat(zeros));
        U256::from_str_radix(&digits, 10).ok()
    }
}

impl fmt::Display for TokenAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_in_units_of_the_token_is_converted_exactly() {
        let convert = |text: &str, decimals| {
            let amount = TokenAmount::parse(text).expect(text);
            let units = amount.to_base_units(decimals);
            (amount.to_string(), units.map(|units| units.to_string()))
        };
        for (text, decimals, normalized, units) in [
            ("100", 0, "100", Some("100")),
            ("100", 6, "100", Some("100000000")),
            ("0100.50", 2, "100.5", Some("10050")),
            ("0.000001", 6, "0.000001", Some("1")),
            // Never rounded.
            ("0.0000001", 6, "0.0000001", None),
            ("1.5", 0, "1.5", None),
            ("1.0", 0, "1", Some("1")),
            ("1", 77, "1", Some(&format!("1{}", "0".repeat(77)))),
            ("2", 77, "2", None),
            ("1", 255, "1", None),
        ] {
            let expected = (normalized.to_owned(), units.map(str::to_owned));
            assert_eq!(convert(text, decimals), expected, "{text}");
        }
        for text in [
            "", "0", "0.0", ".5", "5.", "-1", "+1", "1e3", "1,000", "1.2.3", "1_000", "٣",
        ] {
            assert_eq!(TokenAmount::parse(text), None, "{text}");
        }
        assert_eq!(TokenAmount::parse(&"1".repeat(79)), None);
    }
}
