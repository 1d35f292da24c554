//! What a predicate of a known make is configured to, for one tool.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::{
    COMPOSITE_PREDICATE, CompositePredicate, ContractCode, ERC20_BALANCE_PREDICATE,
    ERC20BalancePredicate, ERC721_OWNER_PREDICATE, ERC721OwnerPredicate, ERC1155_OWNER_PREDICATE,
    ERC1155OwnerPredicate, IAccessPredicate::getRequirementsCall, MERKLE_ALLOWLIST_PREDICATE,
    MerkleAllowlistPredicate, SUBSCRIPTION_PREDICATE, SubscriptionPredicate, TRAIT_GATED_PREDICATE,
    TraitGatedPredicate,
};
use serde::Serialize;

use crate::{
    Error, Logic, Registry,
    caps::{DIAGNOSTIC_GAS, INTROSPECTION_GAS},
    decimal::{self, decimals},
    predicates::{Term, TraitGate},
    view::{Answer, View},
};

/// The largest configuration that is read, in bytes: several times what any predicate of ours accepts. Entries may share
/// their bytes, so a list takes up to the square of its size to write down.
const MAX_BYTES: usize = 16 * 1024;

/// Most token ids that are read: twice what fits into [`MAX_BYTES`] as long as no two entries share theirs. Those that do can
/// make a hundred times as many of the same bytes.
const MAX_TOKEN_IDS: usize = 1024;

/// What a predicate is configured to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "predicate",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Configuration {
    /// Holders of any of these collections.
    Erc721 {
        /// The collections.
        collections: Vec<Address>,
    },
    /// Holders of any of these tokens.
    Erc1155 {
        /// By collection.
        tokens: Vec<CollectionTokens>,
    },
    /// Running subscriptions.
    Subscription {
        /// The collection.
        collection: Address,
        /// Of this tier or higher.
        min_tier: u8,
    },
    /// Balances.
    Erc20 {
        /// The token.
        token: Address,
        /// At least this much.
        #[serde(serialize_with = "decimal::serialize")]
        min_balance: U256,
    },
    /// A token with a trait.
    Trait(TraitGate),
    /// A list.
    Allowlist {
        /// Its Merkle root.
        root: B256,
    },
    /// Other predicates.
    Composite {
        /// All of them or any.
        logic: Logic,
        /// The predicates.
        terms: Vec<Term>,
    },
    /// Nothing was configured for this tool: nobody can tell who is let in.
    NotConfigured,
    /// Not a make we know, or not an answer of that make.
    Unreadable,
}

/// Tokens of one collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionTokens {
    /// The collection.
    pub collection: Address,
    /// The tokens.
    #[serde(serialize_with = "decimals")]
    pub token_ids: Vec<U256>,
}

impl Configuration {
    /// The make of predicate that can be configured so; none for what is no configuration.
    #[must_use]
    pub const fn make(&self) -> Option<&'static ContractCode> {
        Some(match self {
            Self::Erc721 { .. } => &ERC721_OWNER_PREDICATE,
            Self::Erc1155 { .. } => &ERC1155_OWNER_PREDICATE,
            Self::Subscription { .. } => &SUBSCRIPTION_PREDICATE,
            Self::Erc20 { .. } => &ERC20_BALANCE_PREDICATE,
            Self::Trait(_) => &TRAIT_GATED_PREDICATE,
            Self::Allowlist { .. } => &MERKLE_ALLOWLIST_PREDICATE,
            Self::Composite { .. } => &COMPOSITE_PREDICATE,
            Self::NotConfigured | Self::Unreadable => return None,
        })
    }
}

impl Registry {
    /// Reads the configuration of a predicate that calls itself by this name, as [`PredicateInfo`](crate::PredicateInfo)
    /// has it. A name proves nothing: what is read is what the contract says, in the form that make has.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn configuration(
        &self,
        predicate: Address,
        name: &str,
        tool_id: U256,
    ) -> Result<Configuration, Error> {
        let reading = Reading {
            view: self.view_at(self.block().await?),
            predicate,
        };
        if reading.is_unset(tool_id).await? {
            return Ok(Configuration::NotConfigured);
        }
        let read = match name {
            _ if name == ERC721_OWNER_PREDICATE.name() => reading.erc721(tool_id).await,
            _ if name == ERC1155_OWNER_PREDICATE.name() => reading.erc1155(tool_id).await,
            _ if name == SUBSCRIPTION_PREDICATE.name() => reading.subscription(tool_id).await,
            _ if name == ERC20_BALANCE_PREDICATE.name() => reading.erc20(tool_id).await,
            _ if name == TRAIT_GATED_PREDICATE.name() => reading.of_trait(tool_id).await,
            _ if name == MERKLE_ALLOWLIST_PREDICATE.name() => reading.allowlist(tool_id).await,
            _ if name == COMPOSITE_PREDICATE.name() => reading.composite(tool_id).await,
            _ => Ok(Configuration::Unreadable),
        };
        match read {
            Ok(configuration) => Ok(configuration),
            Err(Unread::Nonsense) => Ok(Configuration::Unreadable),
            Err(Unread::Error(error)) => Err(error),
        }
    }
}

enum Unread {
    Nonsense,
    Error(Error),
}

struct Reading<'a> {
    view: View<'a>,
    predicate: Address,
}

impl Reading<'_> {
    /// Whether nothing was ever configured. Getters of lists say "empty" to that as well, which would be a no for everyone.
    async fn is_unset(&self, id: U256) -> Result<bool, Error> {
        let question = getRequirementsCall { toolId: id }.abi_encode().into();
        let gas = Some(INTROSPECTION_GAS);
        let answer = self.view.ask(self.predicate, question, gas).await?;
        let error = ERC721OwnerPredicate::NotConfigured::SELECTOR;
        Ok(matches!(answer, Answer::Failed { data, .. } if data.starts_with(&error)))
    }

    async fn ask<C: SolCall>(&self, call: C) -> Result<C::Return, Unread> {
        let question: Bytes = call.abi_encode().into();
        let gas = Some(DIAGNOSTIC_GAS);
        match self.view.ask(self.predicate, question, gas).await {
            Ok(Answer::Returned(bytes)) if bytes.len() <= MAX_BYTES => {
                C::abi_decode_returns_validate(&bytes).map_err(|_| Unread::Nonsense)
            }
            Ok(_) => Err(Unread::Nonsense),
            Err(error) => Err(Unread::Error(error)),
        }
    }

    async fn erc721(&self, id: U256) -> Result<Configuration, Unread> {
        let call = ERC721OwnerPredicate::getCollectionsCall { toolId: id };
        let collections = self.ask(call).await?;
        Ok(Configuration::Erc721 { collections })
    }

    async fn erc1155(&self, id: U256) -> Result<Configuration, Unread> {
        let call = ERC1155OwnerPredicate::getCollectionTokensCall { toolId: id };
        let tokens = self.ask(call).await?;
        if tokens.iter().map(|one| one.tokenIds.len()).sum::<usize>() > MAX_TOKEN_IDS {
            return Err(Unread::Nonsense);
        }
        let tokens = tokens.into_iter().map(|one| CollectionTokens {
            collection: one.collection,
            token_ids: one.tokenIds,
        });
        Ok(Configuration::Erc1155 {
            tokens: tokens.collect(),
        })
    }

    async fn subscription(&self, id: U256) -> Result<Configuration, Unread> {
        let call = SubscriptionPredicate::getToolGatingConfigCall { toolId: id };
        let gate = self.ask(call).await?;
        Ok(Configuration::Subscription {
            collection: gate.collection,
            min_tier: gate.minTier,
        })
    }

    async fn erc20(&self, id: U256) -> Result<Configuration, Unread> {
        let call = ERC20BalancePredicate::getToolERC20ConfigCall { toolId: id };
        let gate = self.ask(call).await?;
        Ok(Configuration::Erc20 {
            token: gate.token,
            min_balance: gate.minBalance,
        })
    }

    async fn of_trait(&self, id: U256) -> Result<Configuration, Unread> {
        let call = TraitGatedPredicate::getToolTraitConfigCall { toolId: id };
        let gate = self.ask(call).await?;
        Ok(Configuration::Trait(TraitGate {
            collection: gate.collection,
            traits_contract: gate.traitsContract,
            trait_key: gate.traitKey,
            allowed_values: gate.allowedValues,
        }))
    }

    async fn allowlist(&self, id: U256) -> Result<Configuration, Unread> {
        let call = MerkleAllowlistPredicate::getAllowlistRootCall { toolId: id };
        let root = self.ask(call).await?;
        Ok(Configuration::Allowlist { root })
    }

    async fn composite(&self, id: U256) -> Result<Configuration, Unread> {
        let op = self.ask(CompositePredicate::getOpCall { toolId: id });
        let terms = self.ask(CompositePredicate::getTermsCall { toolId: id });
        let (op, terms) = tokio::try_join!(op, terms)?;
        let terms = terms.into_iter().map(|term| Term {
            predicate: term.predicate,
            negate: term.negate,
        });
        Ok(Configuration::Composite {
            logic: match op {
                0 => Logic::All,
                1 => Logic::Any,
                _ => return Err(Unread::Nonsense),
            },
            terms: terms.collect(),
        })
    }
}
