//! State changes of a transaction.

use alloy_primitives::{Address, U256};
use revm::state::EvmState;

/// One state change. Nonces and the sender's balance are left out: they change with every transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The code or the balance of an account.
    Account(Address),
    /// A contract was created.
    Created(Address),
    /// A storage slot of an account.
    Slot(Address, U256),
}

impl Change {
    /// All changes, sorted.
    pub(crate) fn all(state: &EvmState, sender: Address) -> Vec<Self> {
        let mut changes = Vec::new();
        for (address, account) in state {
            if *address != sender && account.is_changed() {
                let (before, now) = (account.original_info(), &account.info);
                let is_created = account.is_created();
                if is_created {
                    changes.push(Self::Created(*address));
                }
                let has_other_code = !is_created && before.code_hash != now.code_hash;
                if has_other_code || before.balance != now.balance {
                    changes.push(Self::Account(*address));
                }
            }
            let slots = account.changed_storage_slots();
            changes.extend(slots.map(|(slot, _)| Self::Slot(*address, *slot)));
        }
        changes.sort_unstable();
        changes
    }
}
