//! What a user should know before a tool is called.

use std::fmt;

use atr_ids::excerpt;
use atr_manifest::{Execution, Manifest};

use crate::demand::PROTOCOL;

/// A claim of a manifest that does not hold here, or a risk of its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The price names a payment protocol whose protection against replays is not known (J-14). Such a payment is never made.
    UnknownProtocol {
        /// Untrusted text.
        protocol: String,
    },
    /// The manifest claims an isolated execution. Attestation reports are not checked, so it counts as standard (J-16).
    NotAttested {
        /// What the manifest claims.
        execution: Execution,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownProtocol { protocol } => write!(
                f,
                "payment protocol `{}` is not known: whether a payment can be replayed is not known either, and none is made",
                excerpt(protocol)
            ),
            Self::NotAttested { execution } => write!(
                f,
                "the manifest claims execution `{execution}`; attestation is not checked, so it counts as `standard`"
            ),
        }
    }
}

/// The warnings of a manifest.
#[must_use]
pub fn warnings(manifest: &Manifest) -> Vec<Warning> {
    let prices = manifest.prices().iter();
    let unknown = prices.filter(|price| price.protocol != PROTOCOL);
    let unknown = unknown.map(|price| Warning::UnknownProtocol {
        protocol: price.protocol.clone(),
    });
    let claims = manifest.verifiability();
    let execution = claims.map_or(Execution::Standard, |claims| claims.execution());
    let claimed = Some(execution).filter(|execution| *execution != Execution::Standard);
    let attestation = claimed.map(|execution| Warning::NotAttested { execution });
    unknown.chain(attestation).collect()
}
