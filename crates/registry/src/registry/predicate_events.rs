//! Events of predicates.

use alloy::rpc::types::Log;
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolEvent, sol};
use atr_bindings::{
    CompositePredicate::{ClausesSet, CompositionSet, TermGasSet},
    ERC20BalancePredicate::ToolERC20Configured,
    ERC721OwnerPredicate::{CollectionsSet, StipendSet},
    ERC1155OwnerPredicate::CollectionTokensSet,
    MerkleAllowlistPredicate::AllowlistRootSet,
    SubscriptionPredicate::ToolGatingConfigured,
    TraitGatedPredicate::ToolTraitConfigured,
};

sol! {
    // EIP-1967
    event Upgraded(address indexed implementation);
    event BeaconUpgraded(address indexed beacon);
}

/// Events whose first topic is the tool whose configuration changed.
const CONFIGURATIONS: [B256; 10] = [
    AllowlistRootSet::SIGNATURE_HASH,
    ClausesSet::SIGNATURE_HASH,
    CollectionTokensSet::SIGNATURE_HASH,
    CollectionsSet::SIGNATURE_HASH,
    CompositionSet::SIGNATURE_HASH,
    StipendSet::SIGNATURE_HASH,
    TermGasSet::SIGNATURE_HASH,
    ToolERC20Configured::SIGNATURE_HASH,
    ToolGatingConfigured::SIGNATURE_HASH,
    ToolTraitConfigured::SIGNATURE_HASH,
];

const UPGRADES: [B256; 2] = [Upgraded::SIGNATURE_HASH, BeaconUpgraded::SIGNATURE_HASH];

/// What an event says about a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateEvent {
    /// The configuration of a tool changed.
    Configured {
        /// The tool.
        tool_id: U256,
    },
    /// The code behind a proxy changed (K-03).
    Upgraded,
}

/// An event of a predicate with its position in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct LoggedPredicateEvent {
    pub event: PredicateEvent,
    pub predicate: Address,
    /// Topics and data of the log.
    pub data: Vec<u8>,
    /// Block number.
    pub block: u64,
    pub block_hash: B256,
    pub transaction: B256,
    pub log_index: u64,
    /// Time of the block in seconds since 1970, if the node adds it to logs.
    pub block_time: Option<u64>,
}

/// The first topics of the events above.
pub(super) fn signatures() -> impl Iterator<Item = B256> {
    CONFIGURATIONS.into_iter().chain(UPGRADES)
}

impl LoggedPredicateEvent {
    /// Bytes of a log that are kept.
    const MAX_DATA: usize = 4096;

    /// `None` for pending logs and other events.
    pub(super) fn decode(log: &Log) -> Option<Self> {
        let topics = log.topics();
        let signature = topics.first()?;
        let event = if CONFIGURATIONS.contains(signature) {
            PredicateEvent::Configured {
                tool_id: U256::from_be_bytes(topics.get(1)?.0),
            }
        } else if UPGRADES.contains(signature) {
            PredicateEvent::Upgraded
        } else {
            return None;
        };
        let mut data = topics.concat();
        data.extend_from_slice(&log.data().data);
        data.truncate(Self::MAX_DATA);
        Some(Self {
            event,
            predicate: log.address(),
            data,
            block: log.block_number?,
            block_hash: log.block_hash?,
            transaction: log.transaction_hash?,
            log_index: log.log_index?,
            block_time: log.block_timestamp,
        })
    }
}

#[cfg(test)]
mod tests {
    use atr_bindings as contracts;

    use super::*;

    #[test]
    fn every_event_of_a_predicate_is_a_configuration() {
        // K-02: otherwise the indexer keeps stale requirements.
        let events = [
            contracts::CompositePredicate::CompositePredicateEvents::SELECTORS,
            contracts::ERC20BalancePredicate::ERC20BalancePredicateEvents::SELECTORS,
            contracts::ERC721OwnerPredicate::ERC721OwnerPredicateEvents::SELECTORS,
            contracts::ERC1155OwnerPredicate::ERC1155OwnerPredicateEvents::SELECTORS,
            contracts::MerkleAllowlistPredicate::MerkleAllowlistPredicateEvents::SELECTORS,
            contracts::SubscriptionPredicate::SubscriptionPredicateEvents::SELECTORS,
            contracts::TraitGatedPredicate::TraitGatedPredicateEvents::SELECTORS,
            contracts::AccessProofPredicate::AccessProofPredicateEvents::SELECTORS,
        ];
        for selector in events.concat() {
            assert!(
                CONFIGURATIONS.contains(&B256::from(selector)),
                "{selector:?}"
            );
        }
    }
}
