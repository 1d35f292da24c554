//! Whether a call has the gas it may need, and what may come of it if not.

use alloy_primitives::{Address, Bytes};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::{
    AccessRequirement,
    CompositePredicate::{
        CodeStoreFailed, InvalidTerm, NoAnswer, NotEnoughGas, setComposition_0Call,
        setComposition_1Call,
    },
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::setCollectionTokensCall,
    IAccessPredicate::{getRequirementsCall, hasAccessCall},
    SubscriptionPredicate::getSubscriptionStatusCall,
    TraitGatedPredicate::configureToolTraitCall,
};

use super::{
    Answer, Chain,
    calldata::Arguments,
    predicates::{Asked, read_question, unknown},
    thirst,
};
use crate::{Fork, Outcome, Transaction};

/// What gas a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// With this much it certainly comes to what the model says, if those it asks have enough.
    pub gas: u64,
    /// Whether one of those may have too little, whatever the call has: their shares are fixed.
    pub terms_are_short: bool,
}

impl Need {
    /// Of a call that asks nobody, or nobody who may lack gas.
    #[must_use]
    pub const fn of(gas: u64) -> Self {
        Self {
            gas,
            terms_are_short: false,
        }
    }

    /// Nothing is known to be enough.
    pub(super) const ENDLESS: Self = Self {
        gas: u64::MAX,
        terms_are_short: true,
    };

    /// Whether so much is certainly enough.
    #[must_use]
    pub const fn is_met_by(self, gas: u64) -> bool {
        !self.terms_are_short && self.gas <= gas
    }
}

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
        let need = self.gas_needed(transaction);
        let is_chosen = transaction.gas < Fork::TRANSACTION_GAS;
        let is_enough = need.is_some_and(|need| need.gas <= transaction.gas_for_code());
        Supply {
            call_is_short: is_chosen && !is_enough,
            terms_are_short: need.is_some_and(|need| need.terms_are_short),
        }
    }

    /// The least gas limit with which the call itself certainly has enough; none if nobody knows.
    #[must_use]
    pub fn enough_gas(&self, transaction: &Transaction) -> Option<u64> {
        let need = self.gas_needed(transaction)?;
        let with_code = transaction.intrinsic_gas().saturating_add(need.gas);
        let limit = with_code.max(transaction.least_gas());
        (limit < Fork::TRANSACTION_GAS).then_some(limit)
    }

    /// None for getters and what is no function of ours: nobody knows, so with chosen gas they may lack it.
    fn gas_needed(&self, transaction: &Transaction) -> Option<Need> {
        let (around, data) = (self.neighbours.around(), &transaction.data);
        let to = transaction.to.unwrap_or_default();
        if to == self.address {
            let of_predicate = |predicate, question: &[u8]| around.gas_needed(predicate, question);
            return Some(self.registry.gas_needed(data, of_predicate));
        }
        let (selector, arguments) = Arguments::split(data)?;
        match selector {
            hasAccessCall::SELECTOR => Some(around.gas_needed(to, data)),
            // It asks no more than `hasAccess`.
            getSubscriptionStatusCall::SELECTOR => {
                let question = hasAccessCall {
                    toolId: arguments.number(0)?,
                    account: arguments.address(1)?,
                    data: Bytes::new(),
                };
                Some(around.gas_needed(to, &question.abi_encode()))
            }
            getRequirementsCall::SELECTOR => Some(around.gas_to_tell(to, arguments.number(0)?)),
            _ => {
                let to_set = self.neighbours.predicates.get(&to)?.gas_to_set(data)?;
                let to_know = thirst::of_knowing_the_creator(self.registry.longest_uri());
                Some(Need::of(to_know + to_set))
            }
        }
    }

    /// Whether a call may come to this instead of what the model says, when somebody has too little gas:
    ///
    /// - a call that is short runs out of gas; or reverts without a word, where Solidity passes on that the registry or a
    ///   precompile did; or says that it could not ask (`NotEnoughGas`), could not probe a contract that is there
    ///   (`InvalidTerm`, `InvalidAccessPredicate`) or could not store its list (`CodeStoreFailed`);
    /// - a composite whose terms are short says that one of those did not answer, if the model answers at all;
    /// - a composite tells what it requires, but for terms that are short, or any if the call is: those are unknown;
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
        let (data, others) = (&transaction.data, &self.neighbours);
        let to = transaction.to.unwrap_or_default();
        if to == self.address {
            // Asked about access, the registry returns even if a term behind it lacked gas.
            let of_term = supply.terms_are_short && matches!(found, Outcome::Returned(_));
            return (supply.call_is_short || of_term)
                && self.registry.may_lack_gas(data, expected, found, others);
        }
        let selector = transaction.data.first_chunk::<4>().copied();
        let selector = selector.unwrap_or_default();
        match found {
            Outcome::Halted(reason) => supply.call_is_short && reason.starts_with("OutOfGas"),
            Outcome::Reverted(data) if data.is_empty() => supply.call_is_short,
            Outcome::Reverted(data) => {
                let of_call = supply.call_is_short && self.says_it_lacks_gas(selector, data);
                let of_term = supply.terms_are_short
                    && has_answer(expected)
                    && self.names_a_term(transaction, data);
                of_call || of_term
            }
            Outcome::Returned(told) => self.tells_less(transaction, supply, told),
            Outcome::Created(_) => false,
        }
    }

    fn says_it_lacks_gas(&self, selector: [u8; 4], data: &[u8]) -> bool {
        let is_there = |account: Address| self.neighbours.has_code(account);
        match selector {
            hasAccessCall::SELECTOR | getSubscriptionStatusCall::SELECTOR => {
                NotEnoughGas::abi_decode(data).is_ok()
            }
            setComposition_0Call::SELECTOR | setComposition_1Call::SELECTOR => {
                CodeStoreFailed::abi_decode(data).is_ok()
                    || InvalidTerm::abi_decode(data).is_ok_and(|error| is_there(error.predicate))
            }
            setCollectionsCall::SELECTOR
            | setCollectionTokensCall::SELECTOR
            | configureToolTraitCall::SELECTOR => CodeStoreFailed::abi_decode(data).is_ok(),
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
        let around = self.neighbours.around();
        let may_be_silent = |term: &Asked| {
            term.question.as_ref().is_none_or(|question| {
                let has_enough = around.gas_needed(term.whom, question).is_met_by(term.gas);
                !has_enough || around.ask_bool(term.whom, question) == Answer::Unknown
            })
        };
        let mut terms = predicate.terms(id, account, data).into_iter();
        terms.any(|term| term.whom == silent.target && may_be_silent(&term))
    }

    /// Whether a composite tells what the model says, but for terms that may lack gas.
    fn tells_less(&self, transaction: &Transaction, supply: Supply, returned: &[u8]) -> bool {
        let around = self.neighbours.around();
        let to = transaction.to.unwrap_or_default();
        let asked = Arguments::of::<getRequirementsCall>(&transaction.data);
        let id = asked.and_then(|arguments| arguments.number(0));
        let (Some(predicate), Some(id)) = (self.neighbours.predicates.get(&to), id) else {
            return false;
        };
        let told = getRequirementsCall::abi_decode_returns_validate(returned);
        let (Ok(told), Ok(expected)) = (told, predicate.requirements(id, around)) else {
            return false;
        };
        let may_lack =
            |term| supply.call_is_short || around.gas_to_introspect(term, id).terms_are_short;
        let by_terms = predicate.told_by_terms(id, around).into_iter();
        let parts: Vec<_> = by_terms
            .map(|(term, entries)| (entries, may_lack(term)))
            .collect();
        !parts.is_empty()
            && told.logic == u8::from(expected.any)
            && is_made_of(&told.requirements, &parts)
            && getRequirementsCall::abi_encode_returns(&told) == returned
    }
}

/// Whether it is all parts one after the other, each as it is or, if it may lack gas, unknown.
fn is_made_of(told: &[AccessRequirement], parts: &[(Vec<AccessRequirement>, bool)]) -> bool {
    let Some(((entries, may_lack), others)) = parts.split_first() else {
        return told.is_empty();
    };
    let goes_on_after = |part: &[AccessRequirement]| {
        told.strip_prefix(part)
            .is_some_and(|rest| is_made_of(rest, others))
    };
    goes_on_after(entries) || (*may_lack && goes_on_after(&[unknown()]))
}

/// Whether it is a yes, a no, or that somebody did not answer; not a refusal of the question.
fn has_answer(expected: &Outcome) -> bool {
    match expected {
        Outcome::Returned(_) => true,
        Outcome::Reverted(data) => NoAnswer::abi_decode(data).is_ok(),
        _ => false,
    }
}
