//! Configuring the predicates that keep a configuration per tool. Ours and those of the reference deployment share these
//! functions; the allowlist is ours alone. Only the tool's creator may call them.

use alloy_primitives::{Address, B256, U256};
use atr_bindings::{
    CompositePredicate, ERC20BalancePredicate, ERC721OwnerPredicate, ERC1155OwnerPredicate,
    MerkleAllowlistPredicate, SubscriptionPredicate, TraitGatedPredicate,
};
use serde::Serialize;

use crate::{Call, Configuration, Logic};

/// Configures a predicate so for a tool; none for what is no configuration.
#[must_use]
pub fn configure(predicate: Address, tool_id: U256, configuration: Configuration) -> Option<Call> {
    Some(match configuration {
        Configuration::Erc721 { collections } => set_collections(predicate, tool_id, collections),
        Configuration::Erc1155 { tokens } => {
            let tokens = tokens.into_iter();
            let tokens = tokens.map(|one| (one.collection, one.token_ids));
            set_collection_tokens(predicate, tool_id, tokens.collect())
        }
        Configuration::Subscription {
            collection,
            min_tier,
        } => configure_tool_gating(predicate, tool_id, collection, min_tier),
        Configuration::Erc20 { token, min_balance } => {
            configure_tool_erc20(predicate, tool_id, token, min_balance)
        }
        Configuration::Trait(gate) => configure_tool_trait(predicate, tool_id, gate),
        Configuration::Allowlist { root } => set_allowlist_root(predicate, tool_id, root),
        Configuration::Composite { logic, terms } => {
            set_composition(predicate, tool_id, logic, &terms)
        }
        Configuration::NotConfigured | Configuration::Unreadable => return None,
    })
}

/// Lets in holders of any of these collections.
#[must_use]
pub fn set_collections(predicate: Address, tool_id: U256, collections: Vec<Address>) -> Call {
    let call = ERC721OwnerPredicate::setCollectionsCall {
        toolId: tool_id,
        collections,
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// Gas that [`set_collections`] takes at most, by the number of collections, where it cannot be estimated because the tool is not
/// registered yet: a generous base, and a storage slot each with room to spare.
#[must_use]
pub const fn set_collections_gas(collections: usize) -> u64 {
    const BASE: u64 = 120_000;
    const EACH: u64 = 30_000;
    (collections as u64)
        .saturating_mul(EACH)
        .saturating_add(BASE)
}

/// Lets in holders of any of these tokens, by collection.
#[must_use]
pub fn set_collection_tokens(
    predicate: Address,
    tool_id: U256,
    tokens: Vec<(Address, Vec<U256>)>,
) -> Call {
    let tokens =
        tokens.into_iter().map(
            |(collection, token_ids)| ERC1155OwnerPredicate::CollectionTokens {
                collection,
                tokenIds: token_ids,
            },
        );
    let call = ERC1155OwnerPredicate::setCollectionTokensCall {
        toolId: tool_id,
        tokens: tokens.collect(),
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// Lets in running subscriptions of a tier or higher.
#[must_use]
pub fn configure_tool_gating(
    predicate: Address,
    tool_id: U256,
    collection: Address,
    min_tier: u8,
) -> Call {
    let call = SubscriptionPredicate::configureToolGatingCall {
        toolId: tool_id,
        collection,
        minTier: min_tier,
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// Lets in balances of at least an amount.
#[must_use]
pub fn configure_tool_erc20(
    predicate: Address,
    tool_id: U256,
    token: Address,
    min_balance: U256,
) -> Call {
    let call = ERC20BalancePredicate::configureToolERC20Call {
        toolId: tool_id,
        token,
        minBalance: min_balance,
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// A trait a token must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraitGate {
    /// The collection of the token.
    pub collection: Address,
    /// The contract that knows the traits; often the collection itself.
    pub traits_contract: Address,
    /// The trait.
    pub trait_key: B256,
    /// Values that let in.
    pub allowed_values: Vec<B256>,
}

/// Lets in holders of a token with a trait.
#[must_use]
pub fn configure_tool_trait(predicate: Address, tool_id: U256, gate: TraitGate) -> Call {
    let call = TraitGatedPredicate::configureToolTraitCall {
        toolId: tool_id,
        collection: gate.collection,
        traitsContract: gate.traits_contract,
        traitKey: gate.trait_key,
        allowedValues: gate.allowed_values,
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// Lets in accounts on the list with this Merkle root.
#[must_use]
pub fn set_allowlist_root(predicate: Address, tool_id: U256, root: B256) -> Call {
    let call = MerkleAllowlistPredicate::setAllowlistRootCall {
        toolId: tool_id,
        root,
    };
    Call::new(predicate, &call, configuring(tool_id))
}

/// One predicate of a composition, as it is or negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The predicate.
    pub predicate: Address,
    /// Whether its no counts as a yes.
    pub negate: bool,
}

/// Lets in whom all or any of these predicates let in.
#[must_use]
pub fn set_composition(predicate: Address, tool_id: U256, logic: Logic, terms: &[Term]) -> Call {
    let terms = terms.iter().map(|term| CompositePredicate::Term {
        predicate: term.predicate,
        negate: term.negate,
    });
    // The shorter of two overloads: the budget is the predicate's own.
    let call = CompositePredicate::setComposition_0Call {
        toolId: tool_id,
        op: match logic {
            Logic::All => 0,
            Logic::Any => 1,
        },
        terms: terms.collect(),
    };
    Call::new(predicate, &call, configuring(tool_id))
}

fn configuring(tool_id: U256) -> String {
    format!("configuring the predicate for tool {tool_id}")
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{hex, keccak256};

    use super::*;

    #[test]
    fn calls_have_the_selectors_existing_software_uses() {
        let (at, id, word) = (Address::ZERO, U256::ONE, B256::ZERO);
        let gate = TraitGate {
            collection: at,
            traits_contract: at,
            trait_key: word,
            allowed_values: Vec::new(),
        };
        for (call, signature) in [
            (
                set_collections(at, id, Vec::new()),
                "setCollections(uint256,address[])",
            ),
            (
                set_collection_tokens(at, id, Vec::new()),
                "setCollectionTokens(uint256,(address,uint256[])[])",
            ),
            (
                configure_tool_gating(at, id, at, 1),
                "configureToolGating(uint256,address,uint8)",
            ),
            (
                configure_tool_erc20(at, id, at, id),
                "configureToolERC20(uint256,address,uint256)",
            ),
            (
                configure_tool_trait(at, id, gate),
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])",
            ),
            (
                set_allowlist_root(at, id, word),
                "setAllowlistRoot(uint256,bytes32)",
            ),
            (
                set_composition(at, id, Logic::Any, &[]),
                "setComposition(uint256,uint8,(address,bool)[])",
            ),
        ] {
            let found = hex::encode(&call.data[..4]);
            assert_eq!(
                found,
                hex::encode(&keccak256(signature)[..4]),
                "{signature}"
            );
        }
    }
}
