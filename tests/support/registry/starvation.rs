//! What a call may do that was given little gas, and how much is enough.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolError, SolValue};
use atr_bindings::IToolRegistry::{
    InvalidAccessPredicate, hasAccessCall, registerToolCall, setAccessPredicateCall,
    tryHasAccessCall,
};
use atr_harness::{Outcome, Receipt, Transaction, model::Others};

use super::Machine;

/// What a predicate gets for its answer. Whoever asks keeps a 64th of what is left, so it takes a 63rd more.
const PREDICATE_GAS: u64 = 200_000 + 200_000 / 63 + 1;

/// What must be left for each of the two ERC-165 questions (`ConstantsLib`).
const PROBE_GAS: u64 = 33_700;

/// Writing a slot that was empty and not looked at before (EIP-2200, EIP-2929). Reading and clearing take less.
const SLOT_GAS: u64 = 22_100;

/// The slots of a tool that are not text, and the counter.
const SLOTS_BESIDE_TEXT: usize = 4;

/// Per byte of text: calldata to memory and into the log.
const BYTE_GAS: usize = 16;

/// Decoding, checks, a cold account, topics.
const OVERHEAD: u64 = 15_000;

impl Machine {
    /// Whether a call has so much gas that it must do what it does with plenty, whatever the predicate is.
    #[must_use]
    pub fn has_enough_gas(&self, transaction: &Transaction) -> bool {
        let data = &transaction.data;
        let left = transaction.gas.saturating_sub(transaction.intrinsic_gas());
        let needed = match data.first_chunk() {
            Some(&hasAccessCall::SELECTOR | &tryHasAccessCall::SELECTOR) => {
                PREDICATE_GAS + (BYTE_GAS * data.len()) as u64
            }
            _ => {
                // The text of any tool, before or after: this is no place for a finer figure.
                let texts = self.model.tools().iter().flatten();
                let longest = texts
                    .map(|tool| tool.uri.len())
                    .fold(data.len(), usize::max);
                let slots = SLOTS_BESIDE_TEXT + longest.div_ceil(32);
                2 * PROBE_GAS + SLOT_GAS * slots as u64 + (BYTE_GAS * longest) as u64
            }
        };
        left >= needed + OVERHEAD
    }

    /// Whether a call that did not do what it does with plenty of gas had too little, and did one of the things it may: run
    /// out of it, refuse a predicate it could not ask, or say that it could not find out what a predicate says.
    pub(super) fn is_want_of_gas(
        &self,
        transaction: &Transaction,
        expected: &Outcome,
        receipt: &Receipt,
    ) -> bool {
        if self.has_enough_gas(transaction) {
            return false;
        }
        let selector = transaction.data.first_chunk::<4>().copied();
        match &receipt.outcome {
            Outcome::Halted(reason) => reason.starts_with("OutOfGas"),
            Outcome::Reverted(data) => {
                let sets = [registerToolCall::SELECTOR, setAccessPredicateCall::SELECTOR];
                selector.is_some_and(|selector| sets.contains(&selector))
                    && InvalidAccessPredicate::abi_decode(data)
                        .is_ok_and(|error| self.could_be_asked(error.predicate, transaction))
            }
            Outcome::Returned(data) => match (selector, self.asked(transaction)) {
                _ if !matches!(expected, Outcome::Returned(_)) => false,
                (Some(tryHasAccessCall::SELECTOR), Some(predicate)) => {
                    // Against a predicate that decides by its own gas there is no defence, and the manual says so.
                    **data == (false, false).abi_encode()
                        || self.cast.decides_by_its_gas(predicate)
                            && **data == (true, false).abi_encode()
                }
                (Some(hasAccessCall::SELECTOR), Some(_)) => **data == false.abi_encode(),
                _ => false,
            },
            Outcome::Created(_) => false,
        }
    }

    /// Whether a predicate is there, and the one a call is about.
    fn could_be_asked(&self, predicate: Address, transaction: &Transaction) -> bool {
        let is_named = |bytes: &[u8]| bytes == predicate.as_slice();
        self.cast.has_code(predicate) && transaction.data.windows(20).any(is_named)
    }

    /// The predicate that a question about access is passed on to; none where nobody is asked.
    fn asked(&self, question: &Transaction) -> Option<Address> {
        let id = U256::from_be_slice(question.data.get(4..36)?);
        let predicate = self.model.tool(id).ok()?.predicate;
        (!predicate.is_zero()).then_some(predicate)
    }
}
