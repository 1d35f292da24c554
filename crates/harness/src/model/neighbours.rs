//! What a contract sees when it looks around.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate::{getRequirementsCall, hasAccessCall},
    ToolRegistry::supportsInterfaceCall,
};

use super::{
    Answer, Need, Others, ScriptBook,
    calldata::Arguments,
    predicates::{Asked, Predicate, Slots, read_question, view},
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
    /// As whoever is asked next sees it.
    const fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

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
            return match view(&**predicate, question, self.deeper())?.outcome {
                Outcome::Returned(bytes) => Some(bytes),
                _ => None,
            };
        }
        let scripted = || self.all.scripts.returned(account, question).map(Into::into);
        let told = self.all.tokens.returned(account, question);
        told.or_else(scripted)
    }

    /// What a contract needs to answer `hasAccess` as [`Self::ask`] says. Tokens have no such function, and say so with any gas.
    #[must_use]
    pub fn gas_needed(self, account: Address, question: &[u8]) -> Need {
        if self.depth == MAX_DEPTH {
            return Need::ENDLESS;
        }
        let Some(predicate) = self.all.predicates.get(&account) else {
            let scripted = self.all.scripts.gas_needed(account);
            return scripted.map_or(Need::ENDLESS, Need::of);
        };
        let arguments = Arguments::of::<hasAccessCall>(question);
        let Some((id, asking, data)) = arguments.and_then(read_question) else {
            return Need::of(thirst::of_data(question));
        };
        let is_short = |Asked {
                            whom,
                            gas,
                            question,
                        }| {
            let need = question.map(|question| self.deeper().gas_needed(whom, &question));
            need.is_some_and(|need| !need.is_met_by(gas))
        };
        let mut terms = predicate.terms(id, asking, data).into_iter();
        Need {
            gas: predicate.gas_needed(id, asking, data, self),
            terms_are_short: terms.any(is_short),
        }
    }

    /// What a contract needs to tell what it requires as [`Self::ask`] says.
    #[must_use]
    pub fn gas_to_tell(self, account: Address, id: U256) -> Need {
        if self.depth == MAX_DEPTH {
            return Need::ENDLESS;
        }
        let predicate = self.all.predicates.get(&account);
        let terms = predicate.map_or_else(Vec::new, |found| found.terms(id, Address::ZERO, &[]));
        if terms.is_empty() {
            return Need::of(thirst::of_telling(self.length_of_requirements(account, id)));
        }
        let mut used = thirst::of_data(&[]);
        let (mut gas, mut terms_are_short) = (used, false);
        for Asked { whom, .. } in terms {
            let share = self.deeper().gas_to_introspect(whom, id);
            terms_are_short |= share.terms_are_short;
            gas = gas.max(used + share.gas + share.gas / 63);
            used += self.appetite(whom).clamp(share.gas, thirst::INTROSPECTION);
            used += thirst::of_passing_on(self.deeper().length_of_requirements(whom, id));
        }
        Need {
            gas: gas.max(used),
            terms_are_short,
        }
    }

    /// What of its share a term needs to tell a composite what it requires, and whether that may not be enough.
    pub(super) fn gas_to_introspect(self, term: Address, id: U256) -> Need {
        let telling = self.gas_to_tell(term, id);
        let returned = self.length_of_requirements(term, id);
        let needed = thirst::of_introspecting(telling.gas, returned);
        Need {
            gas: needed.min(thirst::INTROSPECTION),
            terms_are_short: telling.terms_are_short || needed > thirst::INTROSPECTION,
        }
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
