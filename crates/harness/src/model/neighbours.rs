//! What a contract sees when it looks around.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate::{getRequirementsCall, hasAccessCall},
    ToolRegistry::supportsInterfaceCall,
};

use super::{
    Answer, Others, ScriptBook,
    calldata::Arguments,
    predicates::{Predicate, Slots, read_question, view},
    thirst,
    tokens::Tokens,
};
use crate::Outcome;

/// So many contracts deep a question goes, and no further. No budget of a composite carries as far, and in a cycle it is
/// soon settled: whoever cannot tell when first asked again cannot tell later.
const MAX_DEPTH: usize = 6;

/// The other contracts of the world, and what block it is.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// The time of the block, in seconds.
    pub time: u64,
    /// The chain it is on.
    pub chain_id: u64,
    /// Tokens and wallets.
    pub tokens: Tokens,
    /// Predicates that do as they are told.
    pub scripts: ScriptBook,
    pub(crate) predicates: BTreeMap<Address, Box<dyn Predicate>>,
}

impl Neighbours {
    /// Whether there is a contract.
    #[must_use]
    pub fn has_code(&self, account: Address) -> bool {
        self.predicates.contains_key(&account)
            || self.tokens.has_code(account)
            || self.scripts.has_code(account)
    }

    /// What a predicate must have stored; nothing if there is none.
    #[must_use]
    pub fn slots_of(&self, predicate: Address) -> Slots {
        let found = self.predicates.get(&predicate);
        found.map_or_else(Slots::new, |predicate| predicate.slots())
    }

    /// As a contract sees them that was called by a transaction.
    #[must_use]
    pub const fn around(&self) -> Around<'_> {
        Around {
            all: self,
            depth: 0,
        }
    }
}

/// As the registry sees them.
impl Others for Neighbours {
    fn has_code(&self, account: Address) -> bool {
        Self::has_code(self, account)
    }

    fn claims(&self, account: Address, interface: FixedBytes<4>) -> bool {
        self.around().claims(account, interface)
    }

    fn answer(&self, account: Address, question: &[u8]) -> Answer {
        self.around().ask_bool(account, question)
    }

    fn decides_by_its_gas(&self, account: Address) -> bool {
        self.scripts.decides_by_its_gas(account)
    }
}

/// What a contract sees when it looks around, itself `depth` calls away from the transaction.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    all: &'a Neighbours,
    depth: usize,
}

impl Around<'_> {
    /// The time of the block, in seconds.
    #[must_use]
    pub const fn time(self) -> u64 {
        self.all.time
    }

    /// The chain it is on.
    #[must_use]
    pub const fn chain_id(self) -> u64 {
        self.all.chain_id
    }

    /// Whether there is a contract.
    #[must_use]
    pub fn has_code(self, account: Address) -> bool {
        self.all.has_code(account)
    }

    /// What a contract returns, given plenty of gas; none if it fails.
    #[must_use]
    pub fn ask(self, account: Address, question: &[u8]) -> Option<Bytes> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        if let Some(predicate) = self.all.predicates.get(&account) {
            let deeper = Self {
                depth: self.depth + 1,
                ..self
            };
            return match view(&**predicate, question, deeper)?.outcome {
                Outcome::Returned(bytes) => Some(bytes),
                _ => None,
            };
        }
        let scripted = || self.all.scripts.returned(account, question).map(Into::into);
        let told = self.all.tokens.returned(account, question);
        told.or_else(scripted)
    }

    /// Gas with which a contract certainly answers `hasAccess` as [`Self::ask`] says; none if somebody behind it may have
    /// too little whatever it is given. Tokens have no such function, and say so with any gas.
    #[must_use]
    pub fn gas_needed(self, account: Address, question: &[u8]) -> Option<u64> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let Some(predicate) = self.all.predicates.get(&account) else {
            return self.all.scripts.gas_needed(account);
        };
        let arguments = Arguments::of::<hasAccessCall>(question);
        let Some((id, asking, data)) = arguments.and_then(read_question) else {
            return Some(thirst::of_data(question));
        };
        let deeper = Self {
            depth: self.depth + 1,
            ..self
        };
        for term in predicate.terms(id, asking, data) {
            if let Some(question) = term.question
                && deeper.gas_needed(term.whom, &question)? > term.gas
            {
                return None;
            }
        }
        Some(predicate.gas_needed(id, asking, data, self))
    }

    /// Gas with which a contract certainly tells what it requires as [`Self::ask`] says; none if a term of it may have too
    /// little whatever it is given.
    #[must_use]
    pub fn gas_to_tell(self, account: Address, id: U256) -> Option<u64> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        let predicate = self.all.predicates.get(&account);
        let terms = predicate.map_or_else(Vec::new, |found| found.terms(id, Address::ZERO, &[]));
        if terms.is_empty() {
            return Some(thirst::of_telling(self.length_of_requirements(account, id)));
        }
        let deeper = Self {
            depth: self.depth + 1,
            ..self
        };
        let mut used = thirst::of_data(&[]);
        let mut needed = used;
        for term in terms {
            let share = deeper.gas_to_introspect(term.whom, id)?;
            needed = needed.max(used + share + share / 63);
            used += match deeper.appetite(term.whom) {
                u64::MAX => thirst::INTROSPECTION,
                _ => share,
            };
            used += thirst::of_passing_on(deeper.length_of_requirements(term.whom, id));
        }
        Some(needed.max(used))
    }

    /// What of its share a term needs to tell a composite what it requires; none if all of it may not be enough.
    pub(super) fn gas_to_introspect(self, term: Address, id: U256) -> Option<u64> {
        let returned = self.length_of_requirements(term, id);
        let share = thirst::of_introspecting(self.gas_to_tell(term, id)?, returned);
        (share <= thirst::INTROSPECTION).then_some(share)
    }

    /// How much a contract returns when it tells what it requires; nothing if it fails.
    fn length_of_requirements(self, account: Address, id: U256) -> usize {
        let question = getRequirementsCall { toolId: id }.abi_encode();
        self.ask(account, &question).map_or(0, |told| told.len())
    }

    /// What a contract uses at most of the gas it is asked with, if it is asked for a word.
    pub(crate) fn appetite(self, account: Address) -> u64 {
        self.all.tokens.appetite(account)
    }

    /// The first word of the answer; none if there is no whole word.
    #[must_use]
    pub fn ask_word(self, account: Address, question: &[u8]) -> Option<U256> {
        let bytes = self.ask(account, question)?;
        Some(B256::from_slice(bytes.get(..32)?).into())
    }

    /// The answer of a predicate: exactly one word that is 0 or 1, or none.
    #[must_use]
    pub fn ask_bool(self, account: Address, question: &[u8]) -> Answer {
        self.ask(account, question)
            .map_or(Answer::Unknown, |bytes| Answer::of_return(&bytes))
    }

    /// Whether a contract says yes to `supportsInterface`.
    #[must_use]
    pub fn claims(self, account: Address, interface: FixedBytes<4>) -> bool {
        let question = supportsInterfaceCall {
            interfaceId: interface,
        };
        self.ask_word(account, &question.abi_encode()) == Some(U256::from(1))
    }
}
