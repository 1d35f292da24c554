//! Tokens argument.

use std::str::FromStr;

use atr_ids::parse_decimal;
use atr_registry::predicates::erc1155_owner::CollectionTokens;

use crate::args::{AddressArg, InvalidValue};

/// Tokens of one collection: `COLLECTION:ID` or `COLLECTION:ID,ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokensArg(CollectionTokens);

impl TokensArg {
    /// Merges arguments of the same collection, in order of first occurrence.
    pub(crate) fn merge(all: &[Self]) -> Vec<CollectionTokens> {
        let mut merged: Vec<CollectionTokens> = Vec::new();
        for Self(tokens) in all {
            let existing = merged
                .iter_mut()
                .find(|existing| existing.collection == tokens.collection);
            match existing {
                Some(existing) => existing.token_ids.extend(&tokens.token_ids),
                None => merged.push(tokens.clone()),
            }
        }
        merged
    }
}

impl FromStr for TokensArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidValue::Tokens {
            found: atr_ids::excerpt(text),
        };
        let (collection, ids) = text.split_once(':').ok_or_else(invalid)?;
        let AddressArg(collection) = collection.parse()?;
        let ids = ids
            .split(',')
            .map(|id| parse_decimal(id).map_err(|_| invalid()));
        Ok(Self(CollectionTokens {
            collection,
            token_ids: ids.collect::<Result<_, _>>()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};

    use super::*;

    #[test]
    fn accepts_a_collection_with_token_ids() {
        let collection = Address::repeat_byte(1);
        let tokens: TokensArg = format!("{collection}:7,0").parse().unwrap();
        assert_eq!(tokens.0.token_ids, [7, 0].map(U256::from));
        for text in [
            format!("{collection}"),
            format!("{collection}:"),
            format!("{collection}:07"),
            "7".to_owned(),
        ] {
            assert!(text.parse::<TokensArg>().is_err(), "{text}");
        }
    }

    #[test]
    fn merges_arguments_of_the_same_collection() {
        let parse = |text: String| text.parse::<TokensArg>().unwrap();
        let (first, second) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let all = [
            format!("{first}:1"),
            format!("{second}:2"),
            format!("{first}:3"),
        ]
        .map(parse);
        let tokens = |collection, ids: &[u64]| CollectionTokens {
            collection,
            token_ids: ids.iter().copied().map(U256::from).collect(),
        };
        let expected = [tokens(first, &[1, 3]), tokens(second, &[2])];
        assert_eq!(TokensArg::merge(&all), expected);
    }
}
