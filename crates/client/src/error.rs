//! Errors of calls.

use alloy_primitives::{Address, B256};
use atr_auth::{DecodeError, SignatureError};
use atr_schema::Failure;
use atr_verify::Verdict;

use crate::{LedgerError, PolicyViolation, arguments::location};

/// Why a call did not lead to an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The arguments are not strict JSON.
    #[error("the arguments are not valid JSON: {0}")]
    ArgumentsJson(#[source] atr_manifest::Error),
    /// Suggested values can be added to an object only.
    #[error("the arguments are not a JSON object")]
    ArgumentsNotAnObject,
    /// The arguments do not follow the manifest's `inputs`.
    #[error("{}", describe(.failures))]
    Arguments {
        /// At least one.
        failures: Vec<Failure>,
    },
    /// The arguments could not be validated.
    #[error("the arguments could not be validated: {reason}")]
    #[expect(missing_docs, reason = "plain data")]
    ArgumentsUnknown { reason: String },
    /// The manifest's schemas cannot be used.
    #[error("the manifest's {member} is not a supported JSON Schema")]
    #[expect(missing_docs, reason = "plain data")]
    Schema {
        member: &'static str,
        #[source]
        source: Box<atr_schema::Error>,
    },
    /// The tool is not verified, or its manifest is not valid. It must not be called.
    #[error("the tool is not verified")]
    NotVerified(Box<Verdict>),
    /// The registry could not be read.
    #[error(transparent)]
    Verify(#[from] atr_verify::Error),
    /// The endpoint could not be reached, or did not answer within the limits.
    #[error("the request to the tool failed: {0}")]
    Fetch(#[from] atr_fetch::Error),
    /// Status 402 without a valid challenge.
    #[error("the tool demands payment with an invalid challenge: {0}")]
    Challenge(#[source] DecodeError),
    /// None of the accepted payments can be made.
    #[error("the tool accepts no payment that can be made here")]
    NoUsableRequirement {
        /// What the server accepts. Untrusted text.
        offered: Vec<String>,
    },
    /// A proof of identity is bound to another tool or endpoint, where it could be used.
    #[error(
        "the tool demands a proof of identity for {payee}, which is bound to another tool or endpoint"
    )]
    #[expect(missing_docs, reason = "plain data")]
    ForeignAudience { payee: Address },
    /// The demand exceeds what the user allows.
    #[error(transparent)]
    Policy(#[from] PolicyViolation),
    /// The demand differs from the manifest, and the user did not consent.
    #[error("the requested payment differs from the manifest")]
    DiffersFromManifest,
    /// The signature is not by the payer.
    #[error("the signature is not valid: {0}")]
    Signature(#[from] SignatureError),
    /// The server rejected a credential and demands the same kind again (M-08).
    #[error("the tool did not accept the {kind}: {reason}")]
    #[expect(missing_docs, reason = "plain data")]
    Rejected { kind: &'static str, reason: String },
    /// A payment for the same call was settled, and its answer was lost.
    #[error(
        "a payment for the same call by {payer} (nonce {nonce}) was settled, but the response was lost"
    )]
    #[expect(missing_docs, reason = "plain data")]
    PaidWithoutResponse { payer: Address, nonce: B256 },
    /// An earlier payment for the same call is past its end by the local clock, but the chain may still settle it.
    #[error("an earlier payment for the same call by {payer} (nonce {nonce}) may still be settled")]
    #[expect(missing_docs, reason = "plain data")]
    PaymentPending { payer: Address, nonce: B256 },
    /// The state of an earlier payment for the same call is unknown.
    #[error("the state of an earlier payment for the same call is unknown")]
    EarlierPaymentUnknown(#[source] atr_rpc::Error),
    /// The ledger could not be read or written. Nothing was signed for.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

fn describe(failures: &[Failure]) -> String {
    let failures = failures.iter().map(|failure| {
        format!(
            "{}: {}",
            location(&failure.instance_location),
            failure.message
        )
    });
    let failures: Vec<_> = failures.collect();
    format!("the arguments are not valid: {}", failures.join("; "))
}
