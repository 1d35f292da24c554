//! Errors of gates.

use alloy_primitives::Address;
use atr_bindings::PredicateKind;

use super::TokenAmount;
use crate::{
    Error,
    predicates::{
        TokenStandard,
        composite::{ExpressionError, SyntaxError},
    },
};

/// A gate that cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum GateError {
    /// The text is not an expression, or has too many terms.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The result of the predicate depends on the call data, which the caller chooses: without a proof everyone would have access.
    #[error(
        "at character {position}: `{condition}` cannot be negated: its proof is in the call data, so an account could leave it out"
    )]
    CannotBeNegated { position: usize, condition: String },
    /// As [`Self::CannotBeNegated`]: a Merkle proof shows that an account is on a list, never that it is not.
    #[error(
        "at character {position}: the accounts of `{list}` cannot be denied: a Merkle proof shows that an account is on a list, \
         not that it is absent"
    )]
    DenyList { position: usize, list: String },
    /// A predicate stores one configuration per tool.
    #[error(
        "`{first}` and `{second}` need two configurations of {}, which stores one per tool", kind.name()
    )]
    SeveralConditions {
        kind: PredicateKind,
        first: String,
        second: String,
    },
    /// The amount cannot be converted to base units.
    #[error("{token} is not an ERC-20 token (no decimals()){}", declares(*declared))]
    NoDecimals {
        token: Address,
        /// The standard that it declares through ERC-165.
        declared: Option<TokenStandard>,
    },
    /// The amount has too many digits.
    #[error("{amount} is not an amount of {token}, which has {decimals} decimals")]
    InvalidAmount {
        token: Address,
        amount: TokenAmount,
        decimals: u8,
    },
    /// A Merkle tree needs an account.
    #[error("the list `{list}` has no accounts")]
    EmptyList { list: String },
    /// An RPC request failed.
    #[error(transparent)]
    Registry(#[from] Error),
}

fn declares(standard: Option<TokenStandard>) -> String {
    standard.map_or_else(String::new, |standard| format!("; it declares {standard}"))
}

impl From<SyntaxError> for GateError {
    fn from(error: SyntaxError) -> Self {
        Self::Expression(error.into())
    }
}
