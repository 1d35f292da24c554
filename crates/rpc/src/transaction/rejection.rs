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
        let matches =
            |(_, texts): &&(Self, &[&str])| texts.iter().any(|text| message.contains(text));
        MESSAGES
            .iter()
            .find(matches)
            .map_or(Self::Other, |(reason, _)| *reason)
    }
}

/// Parts of the messages of nodes, in lower case. The first row that matches applies: a message of an earlier row can contain
/// a part of a later one.
const MESSAGES: [(TransactionRejection, &[&str]); 6] = [
    (
        TransactionRejection::ReplacementUnderpriced,
        &[
            "replacement",
            "could not replace existing",
            "existing transaction had higher priority",
        ],
    ),
    (
        TransactionRejection::InFlightLimit,
        &["in-flight", "inflight", "gapped-nonce", "gapped nonce"],
    ),
    (
        TransactionRejection::Underpriced,
        &[
            "underpriced",
            "fee too low",
            "feetoolow",
            "gas price too low",
            "less than block base fee",
            "below the minimum",
            "gas price below",
        ],
    ),
    (
        TransactionRejection::NonceUsed,
        &["nonce too low", "nonce has already been used", "oldnonce"],
    ),
    (
        TransactionRejection::AlreadyKnown,
        &[
            "already known",
            "alreadyknown",
            "known transaction",
            "already imported",
            "already exists",
        ],
    ),
    (
        TransactionRejection::InsufficientFunds,
        &[
            "insufficient funds",
            "insufficientfunds",
            "insufficient balance",
            "not enough funds",
            "upfront cost exceeds",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of nodes by reason.
    const SAMPLES: [(TransactionRejection, &[&str]); 7] = [
        (
            TransactionRejection::ReplacementUnderpriced,
            &[
                "replacement transaction underpriced",
                "ReplacementNotAllowed",
                "could not replace existing tx",
                "An existing transaction had higher priority",
            ],
        ),
        (
            TransactionRejection::InFlightLimit,
            &[
                "in-flight transaction limit reached for delegated accounts",
                "inflight limit reached",
                "gapped-nonce tx from delegated accounts",
                "gapped nonce",
            ],
        ),
        (
            TransactionRejection::Underpriced,
            &[
                "transaction underpriced: gas tip cap 1, minimum needed 1000000",
                "max fee per gas less than block base fee: address 0x12, maxFeePerGas: 1, baseFee: 7",
                "FeeTooLow, MaxFeePerGas too low.",
                "fee too low",
                "transaction gas price too low",
                "gas price is below the minimum",
                "Gas price below current base fee",
            ],
        ),
        (
            TransactionRejection::NonceUsed,
            &[
                "nonce too low: next nonce 5, tx nonce 4",
                "nonce has already been used",
                "OldNonce, Current nonce: 5, nonce of rejected tx: 4.",
            ],
        ),
        (
            TransactionRejection::AlreadyKnown,
            &[
                "already known",
                "AlreadyKnown",
                "known transaction: 0x12",
                "transaction already imported",
                "ALREADY_EXISTS: already exists",
            ],
        ),
        (
            TransactionRejection::InsufficientFunds,
            &[
                "insufficient funds for gas * price + value",
                "InsufficientFunds, Balance is 1 less than sending value + gas 2.",
                "insufficient balance for transfer",
                "not enough funds",
                "Upfront cost exceeds account balance",
            ],
        ),
        (
            TransactionRejection::Other,
            &["exceeds block gas limit", "intrinsic gas too low", ""],
        ),
    ];

    #[test]
    fn classifies_the_messages_of_all_nodes() {
        for (reason, messages) in SAMPLES {
            for message in messages {
                assert_eq!(TransactionRejection::classify(message), reason, "{message}");
            }
        }
    }

    #[test]
    fn every_part_of_a_message_has_a_sample_that_only_it_matches() {
        let samples: Vec<_> = SAMPLES.iter().flat_map(|(_, messages)| *messages).collect();
        let parts: Vec<_> = MESSAGES.iter().flat_map(|(_, parts)| *parts).collect();
        for part in &parts {
            let is_only = |sample: &&&&str| {
                let sample = sample.to_lowercase();
                sample.contains(*part)
                    && parts
                        .iter()
                        .filter(|other| sample.contains(**other))
                        .count()
                        == 1
            };
            assert!(samples.iter().any(|sample| is_only(&sample)), "{part}");
        }
    }
}
