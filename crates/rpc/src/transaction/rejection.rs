//! Why a node rejects a transaction.

use alloy::transports::TransportError;

/// A node's reason to reject a transaction. Nodes use different messages for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionRejection {
    /// The transaction is already in the mempool.
    AlreadyKnown,
    /// The nonce is used, by this transaction or by another.
    NonceUsed,
    /// Another transaction with the nonce is pending, and the fee is too low to replace it.
    ReplacementUnderpriced,
    /// The fee is below the minimum of the node or of the next block.
    Underpriced,
    /// The account can have only one pending transaction, or no gap between nonces.
    InFlightLimit,
    /// The sender cannot pay.
    InsufficientFunds,
    /// Any other reason.
    Other,
}

impl TransactionRejection {
    /// The reason and the node's message, escaped for display; `None` if the node did not respond.
    #[must_use]
    pub fn from_error(error: &TransportError) -> Option<(Self, String)> {
        let message = &error.as_error_resp()?.message;
        Some((Self::classify(message), atr_ids::excerpt(message)))
    }

    fn classify(message: &str) -> Self {
        let message = message.to_lowercase();
        let contains = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
        // First, because they also match other patterns.
        if contains(&["replacement", "could not replace existing"]) {
            return Self::ReplacementUnderpriced;
        }
        if contains(&["in-flight", "inflight", "gapped-nonce", "gapped nonce"]) {
            return Self::InFlightLimit;
        }
        if contains(&[
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
        if contains(&["nonce too low", "nonce has already been used", "oldnonce"]) {
            return Self::NonceUsed;
        }
        if contains(&[
            "already known",
            "known transaction",
            "already imported",
            "already exists",
        ]) {
            return Self::AlreadyKnown;
        }
        if contains(&[
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
    fn classifies_the_messages_of_all_nodes() {
        for (message, expected) in [
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
                TransactionRejection::ReplacementUnderpriced,
            ),
            (
                "could not replace existing tx",
                TransactionRejection::ReplacementUnderpriced,
            ),
            (
                "in-flight transaction limit reached for delegated accounts",
                TransactionRejection::InFlightLimit,
            ),
            (
                "gapped-nonce tx from delegated accounts",
                TransactionRejection::InFlightLimit,
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
                TransactionRejection::classify(message),
                expected,
                "{message}"
            );
        }
    }
}
