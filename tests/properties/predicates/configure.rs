//! Steps that configure predicates.
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
    execute::TRAIT_KEY,
    fixture::Fixture,
    merkle_tree::MerkleTree,
    step::{Step, pick},
};

impl Fixture<'_> {
    /// Executes a configuration step.
    pub(crate) fn configure(&mut self, step: &Step) -> Result<(), String> {
        let at = self.actors.contracts;
        match step {
            Step::SetCollections {
                tool,
                collections,
                by,
            } => {
                let toolId = self.tool(*tool);
                let kind = [&self.actors.erc721s[..], &[self.actors.erc7496]].concat();
                let collections = collections
                    .iter()
                    .map(|number| self.token(*number, &kind))
                    .collect();
                let call = setCollectionsCall {
                    toolId,
                    collections,
                };
                self.call(*by, toolId, at.erc721_owner, &call)
            }
            Step::SetCollectionTokens { tool, groups, by } => {
                let toolId = self.tool(*tool);
                let group = |(erc1155, ids): &(u8, Vec<u8>)| CollectionTokens {
                    collection: self.token(*erc1155, &self.actors.erc1155s),
                    tokenIds: ids.iter().map(|id| U256::from(id % 4)).collect(),
                };
                let tokens = groups.iter().map(group).collect();
                let call = setCollectionTokensCall { toolId, tokens };
                self.call(*by, toolId, at.erc1155_owner, &call)
            }
            Step::ConfigureErc20 {
                tool,
                token,
                min_balance,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolERC20Call {
                    toolId,
                    token: self.token(*token, &self.actors.erc20s),
                    minBalance: U256::from(*min_balance),
                };
                self.call(*by, toolId, at.erc20_balance, &call)
            }
            Step::ConfigureSubscription {
                tool,
                token,
                tier,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolGatingCall {
                    toolId,
                    collection: self.token(*token, &self.actors.subscriptions),
                    minTier: *tier,
                };
                self.call(*by, toolId, at.subscription, &call)
            }
            Step::ConfigureTrait {
                tool,
                collection,
                traits,
                values,
                by,
            } => {
                let toolId = self.tool(*tool);
                let call = configureToolTraitCall {
                    toolId,
                    collection: self.token(*collection, &[self.actors.erc7496]),
                    traitsContract: self.token(*traits, &[self.actors.erc7496]),
                    traitKey: TRAIT_KEY,
                    allowedValues: values
                        .iter()
                        .map(|value| B256::repeat_byte(value % 4))
                        .collect(),
                };
                self.call(*by, toolId, at.trait_gated, &call)
            }
            Step::SetAllowlist { tool, members, by } => {
                let toolId = self.tool(*tool);
                let accounts = self.actors.accounts();
                let members = (0..5).filter(|bit| members >> bit & 1 == 1);
                let members: Vec<Address> = members.map(|bit| accounts[bit]).collect();
                let leaves = members
                    .iter()
                    .map(|account| MerkleAllowlist::leaf(toolId, *account));
                let root = match members.is_empty() {
                    true => B256::ZERO,
                    false => MerkleTree::new(leaves.collect()).root(),
                };
                self.allowlists.insert(toolId, members);
                let call = setAllowlistRootCall { toolId, root };
                self.call(*by, toolId, at.merkle_allowlist, &call)
            }
            Step::SetComposition {
                tool,
                inner,
                op,
                terms,
                budget,
                by,
            } => {
                let toolId = self.tool(*tool);
                let composite = if *inner {
                    self.actors.inner
                } else {
                    at.composite
                };
                // Mostly leaf predicates, then the other composite, sometimes itself or a contract that is not a predicate.
                let mut choices = self.actors.predicates()[..8].repeat(3);
                let other = if *inner {
                    at.composite
                } else {
                    self.actors.inner
                };
                choices.extend([composite, other, other, other]);
                let token = self.actors.erc20s[0];
                choices.extend([token, token, self.actors.erc7496, self.actors.eoa]);
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
            _ => unreachable!("not a configuration step"),
        }
    }

    /// A token, most often of the expected kind.
    fn token(&self, number: u8, expected: &[Address]) -> Address {
        let mut choices = expected.repeat(48 / expected.len());
        choices.extend(self.actors.tokens());
        choices.extend([
            Address::ZERO,
            self.actors.eoa,
            self.actors.contracts.always_deny,
        ]);
        pick(number, &choices)
    }
}
