//! Steps that configure predicates.
#![expect(non_snake_case, reason = "fields of calls are named as in Solidity")]

use alloy_primitives::{Address, B256, U256};
use atr_bindings::{
    AccessProofPredicate::setStipendCall,
    CompositePredicate::{Term, setClausesCall, setCompositionCall},
    ERC20BalancePredicate::{configureToolERC20_0Call, configureToolERC20_1Call},
    ERC721OwnerPredicate::{setCollections_0Call, setCollections_1Call},
    ERC1155OwnerPredicate::{
        CollectionTokens, setCollectionTokens_0Call, setCollectionTokens_1Call,
    },
    MerkleAllowlistPredicate::setAllowlistRootCall,
    SubscriptionPredicate::{configureToolGating_0Call, configureToolGating_1Call},
    TraitGatedPredicate::{configureToolTrait_0Call, configureToolTrait_1Call},
};
use atr_harness::model::predicates::MerkleAllowlist;

use super::{
    execute::TRAIT_KEY,
    fixture::Fixture,
    merkle_tree::MerkleTree,
    step::{Step, TermGas, Terms, pick},
};

/// Makes the call, or its overload with a stipend.
macro_rules! call {
    ($fixture:ident, $by:expr, $to:expr, $stipend:expr, $plain:ident, $chosen:ident, $tool:ident $(, $field:ident)*) => {
        match $stipend.map(U256::from) {
            None => $fixture.call($by, $tool, $to, &$plain { toolId: $tool $(, $field)* }),
            Some(stipend) => {
                $fixture.call($by, $tool, $to, &$chosen { toolId: $tool $(, $field)*, stipend })
            }
        }
    };
}

impl Fixture<'_> {
    /// Executes a configuration step.
    pub(crate) fn configure(&mut self, step: &Step) -> Result<(), String> {
        let at = self.actors.contracts;
        match step {
            Step::SetCollections {
                tool,
                collections,
                stipend,
                by,
            } => {
                let toolId = self.tool(*tool);
                let kind = [&self.actors.erc721s[..], &[self.actors.erc7496]].concat();
                let each = collections.iter();
                let collections: Vec<_> = each.map(|number| self.token(*number, &kind)).collect();
                call!(
                    self,
                    *by,
                    at.erc721_owner,
                    stipend,
                    setCollections_1Call,
                    setCollections_0Call,
                    toolId,
                    collections
                )
            }
            Step::SetCollectionTokens {
                tool,
                groups,
                stipend,
                by,
            } => {
                let toolId = self.tool(*tool);
                let group = |(erc1155, ids): &(u8, Vec<u8>)| CollectionTokens {
                    collection: self.token(*erc1155, &self.actors.erc1155s),
                    tokenIds: ids.iter().map(|id| U256::from(id % 4)).collect(),
                };
                let tokens: Vec<_> = groups.iter().map(group).collect();
                call!(
                    self,
                    *by,
                    at.erc1155_owner,
                    stipend,
                    setCollectionTokens_0Call,
                    setCollectionTokens_1Call,
                    toolId,
                    tokens
                )
            }
            Step::ConfigureErc20 {
                tool,
                token,
                min_balance,
                stipend,
                by,
            } => {
                let toolId = self.tool(*tool);
                let token = self.token(*token, &self.actors.erc20s);
                let minBalance = U256::from(*min_balance);
                call!(
                    self,
                    *by,
                    at.erc20_balance,
                    stipend,
                    configureToolERC20_1Call,
                    configureToolERC20_0Call,
                    toolId,
                    token,
                    minBalance
                )
            }
            Step::ConfigureSubscription {
                tool,
                token,
                tier,
                stipend,
                by,
            } => {
                let (toolId, minTier) = (self.tool(*tool), *tier);
                let collection = self.token(*token, &self.actors.subscriptions);
                call!(
                    self,
                    *by,
                    at.subscription,
                    stipend,
                    configureToolGating_0Call,
                    configureToolGating_1Call,
                    toolId,
                    collection,
                    minTier
                )
            }
            Step::ConfigureTrait {
                tool,
                collection,
                traits,
                values,
                stipend,
                by,
            } => {
                let (toolId, traitKey) = (self.tool(*tool), TRAIT_KEY);
                let kind = [self.actors.erc7496];
                let [collection, traitsContract] =
                    [collection, traits].map(|number| self.token(*number, &kind));
                // Zero is rejected.
                let value = |value: &u8| B256::repeat_byte((*value).min(1 + value % 3));
                let allowedValues: Vec<_> = values.iter().map(value).collect();
                call!(
                    self,
                    *by,
                    at.trait_gated,
                    stipend,
                    configureToolTrait_0Call,
                    configureToolTrait_1Call,
                    toolId,
                    collection,
                    traitsContract,
                    traitKey,
                    allowedValues
                )
            }
            Step::SetProofStipend { tool, stipend, by } => {
                let toolId = self.tool(*tool);
                let stipend = U256::from(*stipend);
                self.call(
                    *by,
                    toolId,
                    at.access_proof,
                    &setStipendCall { toolId, stipend },
                )
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
                let op = *op;
                match terms {
                    Terms::Flat(terms) => {
                        let terms = terms.iter().map(term).collect();
                        let call = setCompositionCall { toolId, op, terms };
                        self.call(*by, toolId, composite, &call)
                    }
                    Terms::Clauses(clauses, gas) => {
                        let clause = |terms: &Vec<_>| terms.iter().map(term).collect();
                        let clauses: Vec<Vec<Term>> = clauses.iter().map(clause).collect();
                        let count = clauses.iter().map(Vec::len).sum();
                        let call = setClausesCall {
                            toolId,
                            op,
                            clauses,
                            stipends: match gas {
                                TermGas::Default => Vec::new(),
                                TermGas::Each(gas) => vec![U256::from(*gas); count],
                                TermGas::WrongNumber => vec![U256::from(9_000); count + 1],
                            },
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
