//! What gas a call to the registry needs, and what may come of it with less.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolError, SolValue};
use atr_bindings::IToolRegistry::{
    InvalidAccessPredicate, hasAccessCall, registerToolCall, setAccessPredicateCall,
    tryHasAccessCall, updateToolMetadataCall,
};

use super::Registry;
use crate::{
    Outcome,
    model::{Need, Others, calldata::Arguments, predicates::read_question, thirst},
};

/// The slots of a tool that are not text, and the counter.
const SLOTS_BESIDE_TEXT: u64 = 4;

/// Reading the tool, and the account of its predicate.
const PASSING_ON: u64 = 4_000;

/// Whoever burns all it gets leaves a 64th, and with that the answer is put together.
const LAST_64TH: u64 = 64 * 500;

impl Registry {
    /// What a predicate gets for its answer at most.
    pub const PREDICATE_GAS_CAP: u64 = 200_000;

    /// What a call needs to do what it does with plenty, the transaction's own gas not counted; `of_predicate` says the same of
    /// a predicate and the question it is asked, which may be more than it gets.
    pub fn gas_needed(&self, data: &[u8], of_predicate: impl Fn(Address, &[u8]) -> Need) -> Need {
        let Some((selector, arguments)) = Arguments::split(data) else {
            return Need::of(thirst::of_data(data));
        };
        if selector != hasAccessCall::SELECTOR && selector != tryHasAccessCall::SELECTOR {
            return Need::of(self.gas_to_change_or_read(selector, data));
        }
        let own = thirst::of_data(data) + PASSING_ON;
        let asked = read_question(arguments)
            .and_then(|(id, account, data)| Some((self.asked(id)?, id, account, data)));
        let Some((predicate, id, account, data)) = asked else {
            return Need::of(own);
        };
        let question = hasAccessCall {
            toolId: id,
            account,
            data: data.to_vec().into(),
        };
        let need = of_predicate(predicate, &question.abi_encode());
        let given = need.gas.min(Self::PREDICATE_GAS_CAP);
        Need {
            gas: own + LAST_64TH.max(given + given / 63 + 1),
            terms_are_short: !need.is_met_by(given),
        }
    }

    fn gas_to_change_or_read(&self, selector: [u8; 4], data: &[u8]) -> u64 {
        let (told, kept) = (thirst::slots(data.len()), thirst::slots(self.longest_uri()));
        let (probes, slot, text) = match selector {
            registerToolCall::SELECTOR => (2, thirst::NEW_SLOT, told),
            setAccessPredicateCall::SELECTOR => (2, thirst::NEW_SLOT, 0),
            updateToolMetadataCall::SELECTOR => (0, thirst::NEW_SLOT, told.max(kept)),
            _ => (0, thirst::OLD_SLOT, kept),
        };
        let stored = slot * (SLOTS_BESIDE_TEXT + text);
        thirst::of_data(data) + probes * thirst::PROBE + stored + thirst::LOG
    }

    /// Whether a call that has too little gas, or asks a predicate that does, may come to this: run out of it, refuse a
    /// predicate that is there and could not be asked, or say that it could not find out what a predicate says. `hasAccess`
    /// folds the last into a no.
    pub fn may_lack_gas(
        &self,
        data: &[u8],
        expected: &Outcome,
        found: &Outcome,
        others: &impl Others,
    ) -> bool {
        let selector = data.first_chunk::<4>().copied().unwrap_or_default();
        match found {
            Outcome::Halted(reason) => reason.starts_with("OutOfGas"),
            Outcome::Reverted(error) => {
                let sets = [registerToolCall::SELECTOR, setAccessPredicateCall::SELECTOR];
                let refused = InvalidAccessPredicate::abi_decode(error);
                sets.contains(&selector)
                    && refused.is_ok_and(|InvalidAccessPredicate { predicate }| {
                        let is_named = |bytes: &[u8]| bytes == predicate.as_slice();
                        others.has_code(predicate) && data.windows(20).any(is_named)
                    })
            }
            Outcome::Returned(answer) => {
                let id = data.get(4..36).map(U256::from_be_slice);
                let asked = id.and_then(|id| self.asked(id));
                let unknown = (false, false).abi_encode();
                match (selector, asked) {
                    _ if !matches!(expected, Outcome::Returned(_)) => false,
                    (tryHasAccessCall::SELECTOR, Some(predicate)) => {
                        // Against a predicate that decides by its own gas there is no defence, and the manual says so.
                        let decides = || others.decides_by_its_gas(predicate);
                        **answer == unknown || **answer == (true, false).abi_encode() && decides()
                    }
                    (hasAccessCall::SELECTOR, Some(_)) => **answer == false.abi_encode(),
                    _ => false,
                }
            }
            Outcome::Created(_) => false,
        }
    }

    /// How long the longest URI of a live tool is. What it takes to read or clear another's is no place for a finer figure.
    pub(in crate::model) fn longest_uri(&self) -> usize {
        let lengths = self.tools.iter().flatten().map(|tool| tool.uri.len());
        lengths.max().unwrap_or_default()
    }

    /// The predicate that a question about a tool is passed on to; none where nobody is asked.
    fn asked(&self, id: U256) -> Option<Address> {
        let predicate = self.tool(id).ok()?.predicate;
        (!predicate.is_zero()).then_some(predicate)
    }
}
