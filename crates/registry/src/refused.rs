//! Why a contract refuses a call, in its own names and in words.

use std::fmt;

use alloy_primitives::Bytes;
use alloy_sol_types::{Revert, SolError};
use atr_bindings::{
    CompositePredicate, ERC20BalancePredicate, ERC721OwnerPredicate, ERC1155OwnerPredicate,
    IToolRegistry, TraitGatedPredicate,
};
use serde::Serialize;

/// A contract's refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertReason {
    /// The error's name in the contract's interface, such as `NotToolCreator`; none if it is not one we know.
    pub error: Option<&'static str>,
    /// What it means.
    pub meaning: String,
    /// What the contract said.
    pub data: Bytes,
}

impl fmt::Display for RevertReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.meaning)?;
        match self.error {
            Some(name) => write!(f, " ({name})"),
            None => Ok(()),
        }
    }
}

impl RevertReason {
    /// Understands what a call reverted with; `message` is the node's word for it.
    pub(crate) fn of(data: Bytes, message: &str) -> Self {
        let (error, meaning) = match known(&data) {
            Some((name, meaning)) => (Some(name), meaning),
            None => match Revert::abi_decode(&data) {
                Ok(revert) => (
                    None,
                    format!("it says \"{}\"", atr_ids::excerpt(&revert.reason)),
                ),
                Err(_) => (None, message.to_owned()),
            },
        };
        Self {
            error,
            meaning,
            data,
        }
    }
}

/// One line per error: the contract, the error, what it means.
macro_rules! errors {
    ($data:ident; $($contract:ident::$error:ident($one:pat) => $meaning:expr;)*) => {$(
        if let Ok($one) = <$contract::$error as SolError>::abi_decode($data) {
            return Some((stringify!($error), $meaning.to_string()));
        }
    )*};
}

fn known(data: &[u8]) -> Option<(&'static str, String)> {
    errors! { data;
        IToolRegistry::ToolNotFound(e) => format!("there is no tool {}", e.toolId);
        IToolRegistry::ToolIsDeregistered(e) => format!("tool {} was removed", e.toolId);
        IToolRegistry::NotToolCreator(e) => format!("{} is not the creator of tool {}", e.caller, e.toolId);
        IToolRegistry::InvalidMetadataURI(_) => "the metadata URI is empty or longer than 2,048 bytes";
        IToolRegistry::InvalidManifestHash(_) => "the manifest hash is zero";
        IToolRegistry::InvalidAccessPredicate(e) => format!("{} answers ERC-165 and is no access predicate", e.predicate);
        ERC721OwnerPredicate::CallerIsNotToolCreator(e) => format!("{} is not the creator of tool {}", e.caller, e.toolId);
        ERC721OwnerPredicate::NotConfigured(e) => format!("nothing is configured for tool {}", e.toolId);
        ERC721OwnerPredicate::TooManyCollections(e) => format!("{} collections, {} at most", e.count, e.max);
        ERC1155OwnerPredicate::TooManyTokens(e) => format!("asking for all tokens takes {} gas, {} at most", e.gasNeeded, e.gasLimit);
        ERC1155OwnerPredicate::NoTokenIds(e) => format!("no token of {} is named", e.collection);
        ERC20BalancePredicate::MinBalanceIsZero(_) => "a balance of zero lets everyone in";
        TraitGatedPredicate::TooManyValues(e) => format!("{} values, {} at most", e.count, e.max);
        CompositePredicate::InvalidOperator(e) => format!("there is no operator {}", e.op);
        CompositePredicate::TooManyTerms(e) => format!("{} terms, {} at most", e.count, e.max);
        CompositePredicate::InvalidBudget(e) => format!("a budget of {} gas, {} at most", e.budget, e.max);
        CompositePredicate::InvalidTerm(e) => format!("term {} ({}) is no predicate it can ask", e.index, e.predicate);
        CompositePredicate::CannotNegate(e) => format!("term {} ({}) reads the call's data and must not be negated", e.index, e.predicate);
    }
    None
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};

    use super::*;

    #[test]
    fn a_refusal_is_told_by_its_name_and_in_words() {
        let error = IToolRegistry::NotToolCreator {
            toolId: U256::from(7),
            caller: Address::ZERO,
        };
        let refused = RevertReason::of(error.abi_encode().into(), "execution reverted");
        assert_eq!(refused.error, Some("NotToolCreator"));
        assert_eq!(
            refused.to_string(),
            "0x0000000000000000000000000000000000000000 is not the creator of tool 7 (NotToolCreator)"
        );
    }

    #[test]
    fn what_is_not_known_is_told_in_the_contracts_or_the_nodes_words() {
        let reason = Revert::from("no \u{1b}[31m").abi_encode();
        assert_eq!(
            RevertReason::of(reason.into(), "x").to_string(),
            "it says \"no \\u{1b}[31m\""
        );
        assert_eq!(
            RevertReason::of(Bytes::new(), "out of gas").to_string(),
            "out of gas"
        );
    }
}
