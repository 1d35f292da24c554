//! Signing transactions.

use alloy::{
    consensus::{SignableTransaction, TxEip1559, TxEnvelope},
    eips::eip2718::Encodable2718,
    network::TxSigner,
};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};

use crate::{Error, Fees};

/// Any signer: private key, keystore, hardware wallet or key service.
pub type Signer<'a> = dyn TxSigner<Signature> + Send + Sync + 'a;

/// An EIP-1559 transaction without fees and signature.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named after the fields of the transaction")]
pub struct UnsignedTransaction {
    pub chain_id: u64,
    pub nonce: u64,
    pub gas_limit: u64,
    pub to: Address,
    pub value: U256,
    pub input: Bytes,
}

/// A signed transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    /// Transaction hash.
    pub hash: B256,
    /// EIP-2718 encoding.
    pub raw: Bytes,
}

impl UnsignedTransaction {
    /// Signs the transaction with these fees.
    ///
    /// # Errors
    ///
    /// When the signer fails.
    pub async fn sign(&self, signer: &Signer<'_>, fees: Fees) -> Result<SignedTransaction, Error> {
        let mut transaction = TxEip1559 {
            chain_id: self.chain_id,
            nonce: self.nonce,
            gas_limit: self.gas_limit,
            max_fee_per_gas: fees.max_fee_per_gas,
            max_priority_fee_per_gas: fees.max_priority_fee_per_gas,
            to: TxKind::Call(self.to),
            value: self.value,
            input: self.input.clone(),
            ..Default::default()
        };
        let signature = signer
            .sign_transaction(&mut transaction)
            .await
            .map_err(|source| Error::Signing { source })?;
        let envelope = TxEnvelope::from(transaction.into_signed(signature));
        Ok(SignedTransaction {
            hash: *envelope.tx_hash(),
            raw: envelope.encoded_2718().into(),
        })
    }
}
