//! Steps that set predicates up.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use alloy_primitives::{Address, B256, U256};
use atr_bindings::{
    CompositePredicate::{Term, setComposition_0Call, setComposition_1Call},
    ERC20BalancePredicate::configureToolERC20Call,
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::{CollectionTokens, setCollectionTokensCall},
    MerkleAllowlistPredicate::setAllowlistRootCall,
    SubscriptionPredicate::configureToolGatingCall,
    TraitGatedPredicate::configureToolTraitCall,
};
use atr_harness::model::predicates::MerkleAllowlist;

use super::{
    merkle_tree::MerkleTree,
    play::TRAIT_KEY,
    stage::Stage,
    step::{Step, pick},
};

impl Stage<'_> {
    /// Sets a predicate up as the step says.
    pub(crate) fn play_set_up(&mut self, step: &Step) -> Result<(), String> {
        let at = self.cast.contracts;
        match step {
            Step::SetCollections {
                tool,
                collections,
                by,
            } => {
                let toolId = self.tool(*tool);
                let kind = [&self.cast.collections[..], &[self.cast.relics]].concat();
                let collections = collections
                    .iter()
                    .map(|one| self.token(*one, &kind))
                    .collect();
                let call = setCollectionsCall {
                    toolId,
                    collections,
                };
                self.call(*by, toolId, at.erc721_owner, &call)
            }
            Step::SetEditions { tool, groups, by } => {
                let toolId = self.tool(*tool);
                let group = |(edition, ids): &(u8, Vec<u8>)| CollectionTokens {
                    collection: self.token(*edition, &self.cast.editions),
                    tokenIds: ids.iter().map(|id| U256::from(id % 4)).collect(),
                };
                let tokens = groups.iter().map(group).collect();
                let call = setCollectionTokensCall { toolId, tokens };
                self.call(*by, toolId, at.erc1155_owner, &call)
            }
            Step::SetBalance {
                tool,
                coin,
                least,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolERC20Call {
                    toolId,
                    token: self.token(*coin, &self.cast.coins),
                    minBalance: U256::from(*least),
                };
                self.call(*by, toolId, at.erc20_balance, &call)
            }
            Step::SetGating {
                tool,
                pass,
                tier,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolGatingCall {
                    toolId,
                    collection: self.token(*pass, &self.cast.passes),
                    minTier: *tier,
                };
                self.call(*by, toolId, at.subscription, &call)
            }
            Step::SetTrait {
                tool,
                collection,
                traits,
                values,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolTraitCall {
                    toolId,
                    collection: self.token(*collection, &[self.cast.relics]),
                    traitsContract: self.token(*traits, &[self.cast.relics]),
                    traitKey: TRAIT_KEY,
                    allowedValues: values
                        .iter()
                        .map(|value| B256::repeat_byte(value % 4))
                        .collect(),
                };
                self.call(*by, toolId, at.trait_gated, &call)
            }
            Step::SetList { tool, members, by } => {
                let toolId = self.tool(*tool);
                let accounts = self.cast.accounts();
                let members = (0..5).filter(|bit| members >> bit & 1 == 1);
                let members: Vec<Address> = members.map(|bit| accounts[bit]).collect();
                let leaves = members
                    .iter()
                    .map(|account| MerkleAllowlist::leaf(toolId, *account));
                let root = match members.is_empty() {
                    true => B256::ZERO,
                    false => MerkleTree::over(leaves.collect()).root(),
                };
                self.lists.insert(toolId, members);
                let call = setAllowlistRootCall { toolId, root };
                self.call(*by, toolId, at.merkle_allowlist, &call)
            }
            Step::Compose {
                tool,
                inner,
                op,
                terms,
                budget,
                by,
            } => {
                let toolId = self.tool(*tool);
                let composite = if *inner {
                    self.cast.inner
                } else {
                    at.composite
                };
                // Eight leaves more often than what is no leaf, the other composite more often than itself.
                let mut choices = self.cast.predicates()[..8].repeat(3);
                let other = if *inner {
                    at.composite
                } else {
                    self.cast.inner
                };
                choices.extend([composite, other, other, other]);
                let coin = self.cast.coins[0];
                choices.extend([coin, coin, self.cast.relics, self.cast.nowhere]);
                let term = |(predicate, negate): &(u8, bool)| Term {
                    predicate: pick(*predicate, &choices),
                    negate: *negate,
                };
                let (op, terms) = (*op, terms.iter().map(term).collect());
                match budget.map(U256::from) {
                    None => {
                        let call = setComposition_0Call { toolId, op, terms };
                        self.call(*by, toolId, composite, &call)
                    }
                    Some(budget) => {
                        let call = setComposition_1Call {
                            toolId,
                            op,
                            terms,
                            budget,
                        };
                        self.call(*by, toolId, composite, &call)
                    }
                }
            }
            _ => unreachable!("sets nothing up"),
        }
    }

    /// One of the right kind more often than another.
    fn token(&self, number: u8, of_the_kind: &[Address]) -> Address {
        let mut choices = of_the_kind.repeat(48 / of_the_kind.len());
        choices.extend(self.cast.tokens());
        choices.extend([
            Address::ZERO,
            self.cast.nowhere,
            self.cast.contracts.always_deny,
        ]);
        pick(number, &choices)
    }
}
