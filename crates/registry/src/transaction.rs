//! Making a transaction, and understanding what a node says of it.

use alloy::{
    consensus::{SignableTransaction, TxEip1559, TxEnvelope},
    eips::eip2718::Encodable2718,
    network::TxSigner,
    transports::TransportError,
};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};

use crate::{Error, Fees};

/// A signer of any kind: a key, a keystore, a device, a service.
pub type Signer<'a> = dyn TxSigner<Signature> + Send + Sync + 'a;

/// A transaction but for its fees.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The chain.
    pub chain_id: u64,
    /// The sender's count of transactions.
    pub nonce: u64,
    /// Most gas it may use.
    pub gas_limit: u64,
    /// Whom it calls.
    pub to: Address,
    /// What it sends along.
    pub value: U256,
    /// The call.
    pub input: Bytes,
}

/// A signed transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Its hash.
    pub hash: B256,
    /// The bytes to send.
    pub raw: Bytes,
}

impl Draft {
    /// The transaction at these fees, signed, with the bytes to send.
    ///
    /// # Errors
    ///
    /// When the signer does not sign.
    pub async fn sign(&self, signer: &Signer<'_>, fees: Fees) -> Result<Signed, Error> {
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
        Ok(Signed {
            hash: *envelope.tx_hash(),
            raw: envelope.encoded_2718().into(),
        })
    }
}

/// What a node's refusal to take a transaction means. Nodes agree on the meaning and not on the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionRejection {
    /// It has it already.
    AlreadyKnown,
    /// The nonce is used up: by this transaction or by another.
    NonceUsed,
    /// It offers too little, by itself or to replace another.
    Underpriced,
    /// The account cannot pay.
    InsufficientFunds,
    /// Anything else.
    Other,
}

impl TransactionRejection {
    /// The refusal in a node's answer, and its words, fit to be shown; none if the node did not answer at all.
    #[must_use]
    pub fn of(error: &TransportError) -> Option<(Self, String)> {
        let message = &error.as_error_resp()?.message;
        Some((Self::of_message(message), atr_ids::excerpt(message)))
    }

    fn of_message(message: &str) -> Self {
        let message = message.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        // "replacement transaction underpriced" must not be taken for a transaction that is known.
        if says(&[
            "underpriced",
            "fee too low",
            "gas price too low",
            "less than block base fee",
            "max fee per gas less than",
            "feetoolow",
            "below the minimum",
        ]) {
            return Self::Underpriced;
        }
        if says(&["nonce too low", "nonce has already been used", "oldnonce"]) {
            return Self::NonceUsed;
        }
        if says(&[
            "already known",
            "known transaction",
            "already imported",
            "already exists",
        ]) {
            return Self::AlreadyKnown;
        }
        if says(&[
            "insufficient funds",
            "insufficient balance",
            "not enough funds",
        ]) {
            return Self::InsufficientFunds;
        }
        Self::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_nodes_of_every_kind() {
        for (message, refusal) in [
            ("already known", TransactionRejection::AlreadyKnown),
            (
                "transaction already imported",
                TransactionRejection::AlreadyKnown,
            ),
            (
                "known transaction: 0x12",
                TransactionRejection::AlreadyKnown,
            ),
            (
                "ALREADY_EXISTS: already exists",
                TransactionRejection::AlreadyKnown,
            ),
            (
                "nonce too low: next nonce 5, tx nonce 4",
                TransactionRejection::NonceUsed,
            ),
            ("OldNonce", TransactionRejection::NonceUsed),
            (
                "replacement transaction underpriced",
                TransactionRejection::Underpriced,
            ),
            (
                "transaction underpriced: gas tip cap 1",
                TransactionRejection::Underpriced,
            ),
            (
                "max fee per gas less than block base fee: address 0x12",
                TransactionRejection::Underpriced,
            ),
            ("FeeTooLow", TransactionRejection::Underpriced),
            (
                "insufficient funds for gas * price + value",
                TransactionRejection::InsufficientFunds,
            ),
            ("exceeds block gas limit", TransactionRejection::Other),
        ] {
            assert_eq!(
                TransactionRejection::of_message(message),
                refusal,
                "{message}"
            );
        }
    }
}
