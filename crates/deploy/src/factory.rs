//! The deterministic deployment proxy (CREATE2 factory) and its keyless deployment.
//!
//! Anyone can deploy the factory at its address on any chain. Its deployment transaction has a fixed signature, from which the
//! sender's address was recovered; no one has the private key. Once that account holds the fee, anyone can send the transaction.

use alloy_primitives::{Address, B256, Bytes, address, bytes};
use atr_rpc::Wei;

/// Address of the factory on every chain that has it.
pub const FACTORY: Address = address!("0x4e59b44847b379578588920cA78FbF26c0B4956C");

/// Its runtime code. Takes salt and init code, runs CREATE2 and returns the address.
pub(crate) const FACTORY_CODE: Bytes = bytes!(
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
);

/// The presigned transaction that deploys the factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactoryTransaction;

impl FactoryTransaction {
    /// The sender, recovered from the fixed signature.
    pub const SENDER: Address = address!("0x3fab184622dc19b6109349b94811493bf2a45362");
    /// Gas limit; part of the signed data.
    pub const GAS_LIMIT: u64 = 100_000;
    /// Gas price in wei; part of the signed data.
    pub const GAS_PRICE: u128 = 100_000_000_000;
    /// The signed transaction.
    pub const RAW: Bytes = bytes!(
        "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222"
    );

    /// The creation code.
    pub(crate) const CREATION: Bytes = bytes!(
        "0x604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
    );

    /// The balance the sender needs. The part that is not used cannot be recovered.
    #[must_use]
    pub fn cost() -> Wei {
        Wei::for_gas(Self::GAS_LIMIT, Self::GAS_PRICE)
    }
}

/// Call data of the factory.
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
    fn the_presigned_transaction_deploys_the_factory_to_its_address() {
        let transaction = TxEnvelope::decode_2718(&mut FactoryTransaction::RAW.as_ref()).unwrap();
        let sender = transaction.recover_signer().unwrap();
        assert_eq!(sender, FactoryTransaction::SENDER);
        assert_eq!(sender.create(transaction.nonce()), FACTORY);
        assert_eq!(transaction.gas_limit(), FactoryTransaction::GAS_LIMIT);
        assert_eq!(transaction.gas_price(), Some(FactoryTransaction::GAS_PRICE));
        // Without a chain id the transaction is valid on every chain.
        assert_eq!(transaction.chain_id(), None);
    }

    #[test]
    fn the_factory_code_matches_the_transaction() {
        let transaction = TxEnvelope::decode_2718(&mut FactoryTransaction::RAW.as_ref()).unwrap();
        assert_eq!(*transaction.input(), FactoryTransaction::CREATION);
        assert!(transaction.input().ends_with(&FACTORY_CODE));
    }
}
