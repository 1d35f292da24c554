//! Tokens of a collection, on the command line.

use std::str::FromStr;

use atr_ids::parse_decimal;
use atr_registry::CollectionTokens;

use crate::args::{Account, InvalidValue};

/// Tokens of one collection: `COLLECTION:ID` or `COLLECTION:ID,ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokensArg(CollectionTokens);

impl TokensArg {
    /// One entry per collection, in the order they came: a collection that is named twice has the tokens of both.
    pub(crate) fn joined(all: &[Self]) -> Vec<CollectionTokens> {
        let mut joined: Vec<CollectionTokens> = Vec::new();
        for Self(one) in all {
            let known = joined
                .iter_mut()
                .find(|known| known.collection == one.collection);
            match known {
                Some(known) => known.token_ids.extend(&one.token_ids),
                None => joined.push(one.clone()),
            }
        }
        joined
    }
}

impl FromStr for TokensArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || InvalidValue::Tokens {
            found: atr_ids::excerpt(text),
        };
        let (collection, ids) = text.split_once(':').ok_or_else(refused)?;
        let Account(collection) = collection.parse()?;
        let ids = ids
            .split(',')
            .map(|id| parse_decimal(id).map_err(|_| refused()));
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
    fn a_collection_comes_with_its_tokens() {
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
    fn a_collection_that_is_named_twice_is_one_entry() {
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
        assert_eq!(TokensArg::joined(&all), expected);
    }
}
