//! Model of the scripted predicates.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::{Address, FixedBytes, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    ACCESS_PREDICATE_ID, IAccessPredicate::hasAccessCall, ToolRegistry::supportsInterfaceCall,
};

use super::{Access, ExternalContracts};
use crate::{Behavior, Script};

/// The scripts of all scripted predicates, by ERC-165 interface id or selector of `hasAccess`.
#[derive(Clone, Debug, Default)]
pub struct Scripts {
    deployed: BTreeSet<Address>,
    scripts: BTreeMap<(Address, FixedBytes<4>), Script>,
}

impl Scripts {
    /// The account has the code of a scripted predicate from now on. Without a script it returns no data.
    pub fn add(&mut self, account: Address) {
        self.deployed.insert(account);
    }

    /// The account has no code from now on. Its scripts are storage and remain.
    pub fn remove(&mut self, account: Address) {
        self.deployed.remove(&account);
    }

    /// Installs a script.
    pub fn set(&mut self, account: Address, call: FixedBytes<4>, script: Script) {
        self.scripts.insert((account, call), script);
    }

    /// The gas with which `hasAccess` does what the script says.
    pub(crate) fn has_access_ceiling(&self, account: Address) -> u64 {
        let script = self.script(account, hasAccessCall::SELECTOR.into());
        match script.map(|script| script.behavior) {
            Some(Behavior::CheckGas | Behavior::CallBack) => u64::MAX,
            Some(Behavior::Return | Behavior::HashCalldata) => 8_000,
            // Fails with any gas.
            _ => 0,
        }
    }

    /// The return data; none if the call fails. Only the registry calls predicates that re-enter or count their gas.
    pub(crate) fn returned(&self, account: Address, calldata: &[u8]) -> Option<Vec<u8>> {
        let selector = FixedBytes::<4>::from_slice(calldata.get(..4)?);
        let call = match selector.0 {
            supportsInterfaceCall::SELECTOR => FixedBytes::from_slice(calldata.get(4..8)?),
            _ => selector,
        };
        let script = self.script(account, call)?;
        match script.behavior {
            Behavior::Return => Some(padded(script, script.value)),
            Behavior::HashCalldata => Some(padded(script, hash_bit(calldata))),
            _ => None,
        }
    }

    fn script(&self, account: Address, call: FixedBytes<4>) -> Option<Script> {
        let no_data = Script {
            behavior: Behavior::Return,
            length: 0,
            value: U256::ZERO,
        };
        let found = self.scripts.get(&(account, call)).copied();
        self.deployed
            .contains(&account)
            .then(|| found.unwrap_or(no_data))
    }
}

fn padded(script: Script, value: U256) -> Vec<u8> {
    let mut bytes = value.to_be_bytes_vec();
    bytes.resize(script.length as usize, 0);
    bytes
}

fn hash_bit(calldata: &[u8]) -> U256 {
    U256::from(keccak256(calldata)[31] & 1)
}

impl ExternalContracts for Scripts {
    fn has_code(&self, account: Address) -> bool {
        self.deployed.contains(&account)
    }

    fn supports(&self, account: Address, interface: FixedBytes<4>) -> bool {
        let Some(script) = self.script(account, interface) else {
            return false;
        };
        match script.behavior {
            // The generators limit the length to what the probe's gas pays for.
            Behavior::Return => script.length >= 32 && script.value == U256::from(1),
            // The registry supports ERC-165 and itself, but is not a predicate.
            Behavior::CallBack => interface != ACCESS_PREDICATE_ID,
            Behavior::CheckGas => script.length >= 32,
            Behavior::HashCalldata => unreachable!("only scripted for `hasAccess`"),
            _ => false,
        }
    }

    fn access(&self, account: Address, calldata: &[u8]) -> Access {
        let Some(script) = self.script(account, hasAccessCall::SELECTOR.into()) else {
            return Access::Unknown;
        };
        let value = match script.behavior {
            Behavior::Return => script.value,
            Behavior::CheckGas => U256::from(1),
            Behavior::HashCalldata => hash_bit(calldata),
            // The registry calls itself until the gas runs out. The innermost call is unknown, `hasAccess` turns that into
            // false, and the outer calls return it.
            Behavior::CallBack => return Access::Denied,
            _ => return Access::Unknown,
        };
        Access::from_return_data(&padded(script, value))
    }

    fn depends_on_gas(&self, account: Address) -> bool {
        let script = self.script(account, hasAccessCall::SELECTOR.into());
        script.is_some_and(|script| script.behavior == Behavior::CheckGas)
    }
}
