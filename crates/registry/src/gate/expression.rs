//! Gate expressions, such as `any(erc721:0x…, erc20:0x…:100) and not erc1155:0x…:7`.

use std::{fmt, str::FromStr};

use alloy_primitives::Address;

use super::{Condition, GateError};
use crate::{
    Logic,
    predicates::composite::{
        ExpressionError,
        formula::{Formula, Literal},
        parser,
    },
};

/// Maximum length of a gate expression in bytes.
const MAX_BYTES: usize = 8 * 1024;

/// A formula of [`Condition`]s with `and`, `or`, `not`, `any(…)`, `all(…)` and parentheses. It has at most one condition per
/// predicate: alternatives that one configuration can hold are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateExpression(Formula<Condition>);

impl GateExpression {
    /// Holders of a token of any of these collections; `None` without collections.
    #[must_use]
    pub fn any_erc721(collections: &[Address]) -> Option<Self> {
        if collections.is_empty() {
            return None;
        }
        let parts = collections.iter().map(|collection| {
            literal(
                Condition::Erc721 {
                    collections: vec![*collection],
                },
                false,
            )
        });
        Some(Self(merge(Formula::Group(Logic::Any, parts.collect()))))
    }

    /// The conditions, one per predicate.
    #[must_use]
    pub fn conditions(&self) -> Vec<&Condition> {
        let mut conditions: Vec<&Condition> = Vec::new();
        for literal in self.0.literals() {
            if !conditions.contains(&&literal.leaf) {
                conditions.push(&literal.leaf);
            }
        }
        conditions
    }

    /// Names of the lists of accounts.
    #[must_use]
    pub fn lists(&self) -> Vec<&str> {
        let conditions = self.conditions().into_iter();
        conditions
            .flat_map(|condition| match condition {
                Condition::Allowlist { lists } => lists.as_slice(),
                _ => &[],
            })
            .map(String::as_str)
            .collect()
    }

    pub(super) const fn formula(&self) -> &Formula<Condition> {
        &self.0
    }

    fn try_new(formula: Formula<Condition>) -> Result<Self, GateError> {
        let expression = Self(merge(formula));
        let conditions = expression.conditions();
        for (index, first) in conditions.iter().enumerate() {
            let mut others = conditions[index + 1..].iter();
            if let Some(second) = others.find(|second| second.kind() == first.kind()) {
                return Err(GateError::SeveralConditions {
                    kind: first.kind(),
                    first: first.to_string(),
                    second: second.to_string(),
                });
            }
        }
        Ok(expression)
    }
}

impl FromStr for GateExpression {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_BYTES {
            return Err(ExpressionError::TooLong { max: MAX_BYTES }.into());
        }
        Self::try_new(parser::parse(text, "a condition", Condition::parse)?)
    }
}

impl fmt::Display for GateExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.0))
    }
}

fn text(formula: &Formula<Condition>) -> String {
    let (logic, parts) = match formula {
        Formula::Literal(Literal { leaf, negate }) => {
            return format!("{}{leaf}", if *negate { "not " } else { "" });
        }
        Formula::Group(logic, parts) => (logic, parts),
    };
    let parts = parts.iter().map(|part| match part {
        Formula::Literal(_) => text(part),
        Formula::Group(..) => format!("({})", text(part)),
    });
    let parts: Vec<_> = parts.collect();
    parts.join(match logic {
        Logic::All => " and ",
        Logic::Any => " or ",
    })
}

const fn literal(leaf: Condition, negate: bool) -> Formula<Condition> {
    Formula::Literal(Literal { leaf, negate })
}

/// Merges alternatives: conditions of an ANY group, and negated conditions of an ALL group (`not A and not B` is `not (A or B)`).
/// A predicate combines the entries of its configuration with ANY, also in three-valued logic.
fn merge(formula: Formula<Condition>) -> Formula<Condition> {
    let (logic, parts) = match formula {
        Formula::Group(logic, parts) => (logic, parts),
        literal => return literal,
    };
    let mut merged: Vec<Formula<Condition>> = Vec::new();
    let parts = parts.into_iter().map(merge);
    for part in parts.flat_map(|part| flatten(logic, part)) {
        let Formula::Literal(new) = &part else {
            merged.push(part);
            continue;
        };
        let is_alternative = new.negate == (logic == Logic::All);
        let is_merged = merged.iter_mut().any(|existing| match existing {
            Formula::Literal(existing) if existing.negate == new.negate => {
                existing.leaf == new.leaf || (is_alternative && existing.leaf.try_merge(&new.leaf))
            }
            _ => false,
        });
        if !is_merged {
            merged.push(part);
        }
    }
    Formula::group(logic, merged)
}

/// The parts of a group with this logic; another formula is its only part.
fn flatten(logic: Logic, formula: Formula<Condition>) -> Vec<Formula<Condition>> {
    match formula {
        Formula::Group(inner, parts) if inner == logic => parts,
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use proptest::prelude::*;

    use super::*;
    use crate::{gate::TokenAmount, predicates::erc1155_owner::CollectionTokens};

    const A: &str = "0x1111111111111111111111111111111111111111";
    const B: &str = "0x2222222222222222222222222222222222222222";

    /// Replaces `#A` and `#B` by addresses.
    fn with_addresses(text: &str) -> String {
        text.replace("#A", A).replace("#B", B)
    }

    fn parse(text: &str) -> Result<GateExpression, String> {
        let parsed = with_addresses(text).parse::<GateExpression>();
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn accepts_every_condition_alone_and_combined() {
        for text in [
            "erc721:#A",
            "erc1155:#A:7",
            "erc1155:#A:1,2",
            "erc20:#A:100",
            "erc20:#A:0.5",
            "subscription:#A",
            "subscription:#A:255",
            "allowlist:members.txt",
            "allowlist:../a-b/c:d.txt",
            "allowlist:\"my list, (new).txt\"",
            "allowlist:'a \"b\" c'",
            "access-proof",
            "not erc721:#A",
            "erc721:#A or erc20:#B:100",
            "(erc721:#A or erc20:#B:100) and not erc1155:#A:7",
            "erc721:#A and (erc20:#B:1 or access-proof)",
        ] {
            let expected = with_addresses(text);
            assert_eq!(parse(text).map(|gate| gate.to_string()), Ok(expected));
        }
    }

    #[test]
    fn alternatives_of_one_predicate_are_merged() {
        for (text, expected) in [
            ("erc721:#A or erc721:#B", "any(erc721:#A, erc721:#B)"),
            (
                "any(erc721:#A,erc721:#B,erc721:#A)",
                "any(erc721:#A, erc721:#B)",
            ),
            (
                "any(erc721:#A, erc20:#A:1, any(erc721:#B))",
                "any(erc721:#A, erc721:#B) or erc20:#A:1",
            ),
            (
                "not erc721:#A and not erc721:#B",
                "not any(erc721:#A, erc721:#B)",
            ),
            (
                "not (erc721:#A or erc721:#B)",
                "not any(erc721:#A, erc721:#B)",
            ),
            ("any(erc1155:#A:1,2,erc1155:#A:2,3)", "erc1155:#A:1,2,3"),
            (
                "erc1155:#A:1 or erc1155:#B:1",
                "any(erc1155:#A:1, erc1155:#B:1)",
            ),
            (
                "any(allowlist:a, allowlist:b)",
                "any(allowlist:a, allowlist:b)",
            ),
            ("erc20:#A:1 and erc20:#A:1.0", "erc20:#A:1"),
            (
                "ERC721:#A AND (Not erc20:#B:1)",
                "erc721:#A and not erc20:#B:1",
            ),
        ] {
            let expected = with_addresses(expected);
            let parsed = parse(text).map(|gate| gate.to_string());
            assert_eq!(parsed, Ok(expected), "{text}");
        }
    }

    #[test]
    fn two_configurations_of_one_predicate_are_rejected() {
        for text in [
            "erc721:#A and erc721:#B",
            "not erc721:#A or not erc721:#B",
            "erc721:#A and not erc721:#B",
            "erc20:#A:1 or erc20:#B:1",
            "erc20:#A:1 and erc20:#A:2",
            "subscription:#A:1 or subscription:#A:2",
            "erc721:#A or (erc721:#B and erc20:#A:1)",
        ] {
            let error = with_addresses(text).parse::<GateExpression>().unwrap_err();
            let is_expected = matches!(error, GateError::SeveralConditions { .. });
            assert!(is_expected, "{text}: {error}");
        }
        assert_eq!(
            parse("erc20:#A:1 or erc20:#B:1"),
            Err(with_addresses(
                "`erc20:#A:1` and `erc20:#B:1` need two configurations of ERC20BalancePredicate, which stores one per tool"
            ))
        );
    }

    #[test]
    fn errors_name_the_position_and_what_is_expected() {
        for (text, message) in [
            ("", "at character 1: expected a condition, found the end"),
            (
                "erc721:#A and",
                "at character 54: expected a condition, found the end",
            ),
            (
                "nft:#A",
                "at character 1: expected a condition: erc721:ADDRESS, erc1155:ADDRESS:ID,ID, erc20:ADDRESS:AMOUNT, \
                 subscription:ADDRESS[:TIER], allowlist:FILE or access-proof, found `nft:#A`",
            ),
            (
                "erc721",
                "at character 7: expected `:` and the address of a collection, found the end",
            ),
            (
                "erc721:0x12",
                "at character 8: expected the address of a collection, found `0x12`",
            ),
            (
                "erc721:0xC8721c9A776958FfFfEb602DA1b708bf1D318379",
                "at character 8: expected the address of a collection with a valid EIP-55 checksum, found \
                 `0xC8721c9A776958FfFfEb602DA1b708bf1D318379`",
            ),
            (
                "erc20:#A",
                "at character 49: expected `:` and an amount above zero in units of the token, such as 100 or 0.5, found the end",
            ),
            (
                "any(erc721:#A, erc20:#B:0)",
                "at character 105: expected an amount above zero in units of the token, such as 100 or 0.5, found `0`",
            ),
            (
                "erc1155:#A:x",
                "at character 52: expected a token id, found `x`",
            ),
            (
                "erc1155:#A:1,2x",
                "at character 54: expected a token id, found `2x`",
            ),
            (
                "subscription:#A:256",
                "at character 57: expected a tier from 0 to 255, found `256`",
            ),
            (
                "allowlist:\"open",
                "at character 11: expected a file name, in quotes if it has spaces, commas or parentheses, found `\"open`",
            ),
            (
                "erc721:#A erc20:#B:1",
                "at character 51: expected `and`, `or` or the end, found `erc20:#B:1`",
            ),
            (
                "erc721:#A and not allowlist:members",
                "at character 59: `allowlist:members` cannot be negated: its proof is in the call data, so an account could leave it out",
            ),
            (
                "not (erc721:#A or access-proof)",
                "at character 59: `access-proof` cannot be negated: its proof is in the call data, so an account could leave it out",
            ),
            (
                "erc721:#A and not deny:list.txt",
                "at character 59: the accounts of `list.txt` cannot be denied: a Merkle proof shows that an account is on a \
                 list, not that it is absent",
            ),
        ] {
            assert_eq!(parse(text), Err(with_addresses(message)), "{text}");
        }
        // A double negation is none.
        assert!(parse("not not allowlist:members").is_ok());
        let long = format!("erc721:{}", "0".repeat(9_000));
        assert_eq!(
            parse(&long),
            Err("the expression is longer than 8192 bytes".to_owned())
        );
    }

    /// Conditions with a single entry: the atoms of the formula before merging.
    fn condition() -> impl Strategy<Value = Condition> {
        let address = prop::sample::select(vec![1_u8, 2]).prop_map(Address::repeat_byte);
        prop_oneof![
            4 => address.clone().prop_map(|collection| Condition::Erc721 { collections: vec![collection] }),
            2 => (address, 0_u64..3).prop_map(|(collection, id)| Condition::Erc1155 {
                tokens: vec![CollectionTokens { collection, token_ids: vec![U256::from(id)] }],
            }),
            1 => Just(Condition::Erc20 {
                token: Address::repeat_byte(3),
                amount: TokenAmount::parse("1.5").unwrap(),
            }),
            1 => Just(Condition::Subscription { collection: Address::repeat_byte(4), min_tier: 2 }),
        ]
    }

    /// The value of a condition with several entries is the ANY of its entries.
    fn value_of(condition: &Condition, atom: &impl Fn(&Condition) -> Option<bool>) -> Option<bool> {
        let atoms: Vec<_> = match condition {
            Condition::Erc721 { collections } => collections
                .iter()
                .map(|collection| Condition::Erc721 {
                    collections: vec![*collection],
                })
                .collect(),
            Condition::Erc1155 { tokens } => tokens
                .iter()
                .flat_map(|entry| {
                    entry.token_ids.iter().map(|id| Condition::Erc1155 {
                        tokens: vec![CollectionTokens {
                            collection: entry.collection,
                            token_ids: vec![*id],
                        }],
                    })
                })
                .collect(),
            other => vec![other.clone()],
        };
        crate::predicates::composite::kleene(Logic::Any, atoms.iter().map(atom))
    }

    proptest! {
        #[test]
        fn merging_keeps_the_value_in_three_valued_logic(
            formula in Formula::any_of(condition()), seed in any::<u64>(),
        ) {
            // A value for each atom, from its text.
            let atom = |condition: &Condition| {
                let text = format!("{condition}{seed}");
                let hash = alloy_primitives::keccak256(text);
                [None, Some(false), Some(true)][usize::from(hash[0]) % 3]
            };
            let value = |condition: &Condition| value_of(condition, &atom);
            let merged = merge(formula.clone());
            prop_assert_eq!(merged.evaluate(&value), formula.evaluate(&value));
            // The text of a merged gate is the same gate.
            if let Ok(gate) = GateExpression::try_new(formula) {
                let parsed: GateExpression = gate.to_string().parse().unwrap();
                prop_assert_eq!(parsed, gate);
            }
        }

        #[test]
        fn parsing_any_text_never_panics(
            words in prop::collection::vec("erc721|erc1155|erc20|allowlist|deny|:|,|\\(|\\)|not|and|any| |0x|0|1|\"|é|\\.", 0..30),
        ) {
            let text = words.concat().replace("0x", A);
            let _ = text.parse::<GateExpression>();
        }
    }
}
