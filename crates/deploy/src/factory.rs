//! The CREATE2 factory everybody uses, and how it gets onto a chain that lacks it.
//!
//! Anyone can put it at its address on any chain: its deployment is a transaction without a key, signed by making up a
//! signature and seeing whose it would be. That account needs the fee, exactly that, and the transaction can be sent.

use alloy_primitives::{Address, B256, Bytes, address, bytes};

use crate::Wei;

/// Where it is, on every chain that has it.
pub const FACTORY: Address = address!("0x4e59b44847b379578588920cA78FbF26c0B4956C");

/// Its code there: takes salt and init code, runs CREATE2, answers the address.
pub(crate) const FACTORY_CODE: Bytes = bytes!(
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
);

/// The deployment that has no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyless;

impl Keyless {
    /// The account the made-up signature belongs to.
    pub const SENDER: Address = address!("0x3fab184622dc19b6109349b94811493bf2a45362");
    /// Gas limit of the transaction; signed, so it cannot be changed.
    pub const GAS_LIMIT: u64 = 100_000;
    /// Gas price of the transaction in wei; signed, so it cannot be changed.
    pub const GAS_PRICE: u128 = 100_000_000_000;
    /// The transaction, ready to be sent.
    pub const RAW: Bytes = bytes!(
        "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222"
    );

    /// What its account must hold. What the transaction does not use stays there for good.
    #[must_use]
    pub fn cost() -> Wei {
        Wei::of_gas(Self::GAS_LIMIT, Self::GAS_PRICE)
    }
}

/// What to send to the factory to have it run some init code.
pub(crate) fn call_data(salt: B256, init_code: &[u8]) -> Bytes {
    [salt.as_slice(), init_code].concat().into()
}

#[cfg(test)]
mod tests {
    use alloy::{
        consensus::{Transaction, TxEnvelope, transaction::SignerRecoverable},
        eips::eip2718::Decodable2718,
    };

    use super::*;

    #[test]
    fn the_transaction_without_a_key_makes_the_factory_at_its_address() {
        let transaction = TxEnvelope::decode_2718(&mut Keyless::RAW.as_ref()).unwrap();
        let sender = transaction.recover_signer().unwrap();
        assert_eq!(sender, Keyless::SENDER);
        assert_eq!(sender.create(transaction.nonce()), FACTORY);
        assert_eq!(transaction.gas_limit(), Keyless::GAS_LIMIT);
        assert_eq!(transaction.gas_price(), Some(Keyless::GAS_PRICE));
        // Not bound to a chain: that is why it works on all of them.
        assert_eq!(transaction.chain_id(), None);
    }

    #[test]
    fn the_code_is_what_the_transaction_leaves_behind() {
        let transaction = TxEnvelope::decode_2718(&mut Keyless::RAW.as_ref()).unwrap();
        assert!(transaction.input().ends_with(&FACTORY_CODE));
    }
}
