//! Whether a call has the gas it may need, and what may come of it if not.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolError, SolValue};
use atr_bindings::{
    CompositePredicate::{
        CodeStoreFailed, InvalidTerm, NoAnswer, NotEnoughGas, setComposition_0Call,
        setComposition_1Call,
    },
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::setCollectionTokensCall,
    IAccessPredicate::hasAccessCall,
    IToolRegistry::{
        InvalidAccessPredicate, registerToolCall, setAccessPredicateCall, tryHasAccessCall,
    },
    SubscriptionPredicate::getSubscriptionStatusCall,
    TraitGatedPredicate::configureToolTraitCall,
};

use super::{Chain, calldata::Arguments, predicates::read_question};
use crate::{Fork, Outcome, Transaction};

/// What the registry gives a predicate at most.
const PREDICATE_GAS_CAP: u64 = 200_000;

/// Who may have too little gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// The call itself: its gas was chosen, and is not certainly enough.
    pub call_is_short: bool,
    /// A term of a composite behind it: its share is not certainly enough for what it is set up to ask.
    pub terms_are_short: bool,
}

impl Supply {
    /// Nobody: the call must come to what the model says.
    #[must_use]
    pub const fn is_full(self) -> bool {
        !self.call_is_short && !self.terms_are_short
    }
}

impl Chain {
    /// Who may have too little gas in a transaction.
    #[must_use]
    pub fn supply(&self, transaction: &Transaction) -> Supply {
        let is_chosen = transaction.gas < Fork::TRANSACTION_GAS;
        match self.gas_needed(transaction) {
            Needed::Gas(needed) => {
                let available = transaction.gas.saturating_sub(transaction.intrinsic_gas());
                Supply {
                    call_is_short: is_chosen && available < needed,
                    terms_are_short: false,
                }
            }
            Needed::MoreThanTermsHave => Supply {
                call_is_short: is_chosen,
                terms_are_short: true,
            },
            Needed::NobodyKnows => Supply {
                call_is_short: is_chosen,
                terms_are_short: false,
            },
        }
    }

    /// Only questions about access are worked out; whatever else is done with chosen gas may lack it.
    fn gas_needed(&self, transaction: &Transaction) -> Needed {
        let Some((selector, arguments)) = Arguments::split(&transaction.data) else {
            return Needed::NobodyKnows;
        };
        let around = self.neighbours.around();
        let to = transaction.to.unwrap_or_default();
        if to != self.address {
            return match selector {
                hasAccessCall::SELECTOR => around
                    .gas_needed(to, &transaction.data)
                    .map_or(Needed::MoreThanTermsHave, Needed::Gas),
                _ => Needed::NobodyKnows,
            };
        }
        if selector != hasAccessCall::SELECTOR && selector != tryHasAccessCall::SELECTOR {
            return Needed::NobodyKnows;
        }
        // Reading the tool and passing the question on.
        let own = 12_000 + 8 * transaction.data.len() as u64;
        let asked = read_question(arguments).and_then(|(id, account, data)| {
            Some((self.registry.tool(id).ok()?, id, account, data))
        });
        let Some((tool, id, account, data)) = asked else {
            return Needed::Gas(own);
        };
        let question = hasAccessCall {
            toolId: id,
            account,
            data: data.to_vec().into(),
        };
        match around.gas_needed(tool.predicate, &question.abi_encode()) {
            Some(needed) if needed <= PREDICATE_GAS_CAP => {
                Needed::Gas(own + needed + needed / 63 + 1)
            }
            _ => Needed::MoreThanTermsHave,
        }
    }

    /// Whether a call may come to this instead of what the model says, when somebody has too little gas:
    ///
    /// - a call that is short runs out of gas; or reverts without a word, where Solidity passes on that the registry or a
    ///   precompile did; or says that it could not ask (`NotEnoughGas`), could not probe a contract that is there
    ///   (`InvalidTerm`, `InvalidAccessPredicate`) or could not store its list (`CodeStoreFailed`);
    /// - a composite whose terms are short says that one of them did not answer, if the model answers at all;
    /// - the registry, asked about access, could not find out.
    ///
    /// Nothing is changed then, and no answer becomes another, but that `hasAccess` of the registry folds "could not find
    /// out" into a no.
    #[must_use]
    pub fn may_lack_gas(
        &self,
        transaction: &Transaction,
        supply: Supply,
        expected: &Outcome,
        found: &Outcome,
    ) -> bool {
        let to = transaction.to.unwrap_or_default();
        let selector = transaction.data.first_chunk::<4>().copied();
        let selector = selector.unwrap_or_default();
        match found {
            Outcome::Halted(reason) => supply.call_is_short && reason.starts_with("OutOfGas"),
            Outcome::Reverted(data) if data.is_empty() => {
                supply.call_is_short && to != self.address
            }
            Outcome::Reverted(data) => {
                let of_call = supply.call_is_short && self.says_it_lacks_gas(to, selector, data);
                let of_term = supply.terms_are_short
                    && has_answer(expected)
                    && self.names_a_term(transaction, data);
                of_call || of_term
            }
            Outcome::Returned(data) if to == self.address => match selector {
                _ if !matches!(expected, Outcome::Returned(_)) => false,
                _ if !self.asks_somebody(transaction) => false,
                tryHasAccessCall::SELECTOR => **data == (false, false).abi_encode(),
                hasAccessCall::SELECTOR => **data == false.abi_encode(),
                _ => false,
            },
            Outcome::Returned(_) | Outcome::Created(_) => false,
        }
    }

    /// Whether a question about access is passed on; of open tools nobody is asked.
    fn asks_somebody(&self, question: &Transaction) -> bool {
        let id = question.data.get(4..36).map(U256::from_be_slice);
        let tool = id.and_then(|id| self.registry.tool(id).ok());
        tool.is_some_and(|tool| !tool.predicate.is_zero())
    }

    fn says_it_lacks_gas(&self, to: Address, selector: [u8; 4], data: &[u8]) -> bool {
        let is_there = |account: Address| self.neighbours.has_code(account);
        match selector {
            hasAccessCall::SELECTOR | getSubscriptionStatusCall::SELECTOR => {
                to != self.address && NotEnoughGas::abi_decode(data).is_ok()
            }
            setComposition_0Call::SELECTOR | setComposition_1Call::SELECTOR => {
                CodeStoreFailed::abi_decode(data).is_ok()
                    || InvalidTerm::abi_decode(data).is_ok_and(|error| is_there(error.predicate))
            }
            setCollectionsCall::SELECTOR
            | setCollectionTokensCall::SELECTOR
            | configureToolTraitCall::SELECTOR => CodeStoreFailed::abi_decode(data).is_ok(),
            registerToolCall::SELECTOR | setAccessPredicateCall::SELECTOR => {
                InvalidAccessPredicate::abi_decode(data)
                    .is_ok_and(|error| is_there(error.predicate))
            }
            _ => false,
        }
    }

    fn names_a_term(&self, transaction: &Transaction, data: &[u8]) -> bool {
        let (Ok(silent), Some(to)) = (NoAnswer::abi_decode(data), transaction.to) else {
            return false;
        };
        let question = Arguments::of::<hasAccessCall>(&transaction.data).and_then(read_question);
        let (Some(predicate), Some((id, account, data))) =
            (self.neighbours.predicates.get(&to), question)
        else {
            return false;
        };
        let mut terms = predicate.terms(id, account, data).into_iter();
        terms.any(|term| term.whom == silent.target)
    }
}

enum Needed {
    Gas(u64),
    MoreThanTermsHave,
    NobodyKnows,
}

/// Whether it is a yes, a no, or that somebody did not answer; not a refusal of the question.
fn has_answer(expected: &Outcome) -> bool {
    match expected {
        Outcome::Returned(_) => true,
        Outcome::Reverted(data) => NoAnswer::abi_decode(data).is_ok(),
        _ => false,
    }
}
