//! What scripted predicates say.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::{Address, FixedBytes, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    ACCESS_PREDICATE_ID, IAccessPredicate::hasAccessCall, ToolRegistry::supportsInterfaceCall,
};

use super::{Answer, Others};
use crate::{Manner, Script};

/// The scripts of every scripted predicate, by question: an ERC-165 id, or the selector of `hasAccess`.
///
/// An address that was not added, or was removed, has no code.
#[derive(Clone, Debug, Default)]
pub struct ScriptBook {
    present: BTreeSet<Address>,
    scripts: BTreeMap<(Address, FixedBytes<4>), Script>,
}

impl ScriptBook {
    /// There is a scripted predicate here now. Where it has no script it returns nothing.
    pub fn add(&mut self, account: Address) {
        self.present.insert(account);
    }

    /// Its code is gone. Its scripts are storage, and stay.
    pub fn remove(&mut self, account: Address) {
        self.present.remove(&account);
    }

    /// It answers this question this way from now on.
    pub fn set(&mut self, account: Address, question: FixedBytes<4>, script: Script) {
        self.scripts.insert((account, question), script);
    }

    /// Gas with which it certainly says what its script has; none if that depends on its gas. One that fails does so with
    /// any gas.
    pub(crate) fn gas_needed(&self, account: Address) -> Option<u64> {
        let script = self.script(account, hasAccessCall::SELECTOR.into());
        match script.map(|script| script.manner) {
            Some(Manner::CountsGas | Manner::AsksBack) => None,
            Some(Manner::Returns | Manner::ReadsQuestion) => Some(8_000),
            _ => Some(0),
        }
    }

    /// What it returns; none if it fails. `AsksBack` and `CountsGas` are for the registry only.
    pub(crate) fn returned(&self, account: Address, question: &[u8]) -> Option<Vec<u8>> {
        let selector = FixedBytes::<4>::from_slice(question.get(..4)?);
        let asked = match selector.0 {
            supportsInterfaceCall::SELECTOR => FixedBytes::from_slice(question.get(4..8)?),
            _ => selector,
        };
        let script = self.script(account, asked)?;
        let word = match script.manner {
            Manner::Returns => script.word,
            Manner::ReadsQuestion => U256::from(keccak256(question)[31] & 1),
            _ => return None,
        };
        let mut bytes = word.to_be_bytes_vec();
        bytes.resize(script.length as usize, 0);
        Some(bytes)
    }

    fn script(&self, account: Address, question: FixedBytes<4>) -> Option<Script> {
        let silent = Script {
            manner: Manner::Returns,
            length: 0,
            word: U256::ZERO,
        };
        let found = self.scripts.get(&(account, question)).copied();
        self.present
            .contains(&account)
            .then(|| found.unwrap_or(silent))
    }
}

impl Others for ScriptBook {
    fn has_code(&self, account: Address) -> bool {
        self.present.contains(&account)
    }

    fn claims(&self, account: Address, interface: FixedBytes<4>) -> bool {
        let Some(script) = self.script(account, interface) else {
            return false;
        };
        match script.manner {
            // Of lengths that the allowance pays for.
            Manner::Returns => script.length >= 32 && script.word == U256::from(1),
            // The registry asks; asked back, it claims ERC-165 and itself, but not to be a predicate.
            Manner::AsksBack => interface != ACCESS_PREDICATE_ID,
            // Asked with all of the allowance, and no more.
            Manner::CountsGas => script.length >= 32,
            Manner::ReadsQuestion => unreachable!("only access questions are read in our worlds"),
            Manner::Reverts | Manner::BurnsGas | Manner::IsInvalid | Manner::Writes => false,
        }
    }

    fn answer(&self, account: Address, question: &[u8]) -> Answer {
        let Some(script) = self.script(account, hasAccessCall::SELECTOR.into()) else {
            return Answer::Unknown;
        };
        let in_one_word = |answer| match script.length {
            32 => answer,
            _ => Answer::Unknown,
        };
        match script.manner {
            Manner::Returns => {
                let mut bytes = script.word.to_be_bytes_vec();
                bytes.resize(script.length as usize, 0);
                Answer::of_return(&bytes)
            }
            // The registry asks itself again, until the gas is used up and the innermost cannot tell. `hasAccess` makes a
            // no of that, and the others pass it on.
            Manner::AsksBack => Answer::No,
            Manner::CountsGas => in_one_word(Answer::Yes),
            Manner::ReadsQuestion => in_one_word((keccak256(question)[31] & 1 == 1).into()),
            Manner::Reverts | Manner::BurnsGas | Manner::IsInvalid | Manner::Writes => {
                Answer::Unknown
            }
        }
    }

    fn decides_by_its_gas(&self, account: Address) -> bool {
        let script = self.script(account, hasAccessCall::SELECTOR.into());
        script.is_some_and(|script| script.manner == Manner::CountsGas)
    }
}
