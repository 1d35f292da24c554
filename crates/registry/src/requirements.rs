//! Access requirements, decoded.

use std::fmt;

use alloy_primitives::{B256, Bytes, FixedBytes, fixed_bytes};
use atr_bindings::for_each_predicate;
use serde::Serialize;

use crate::{
    abi::{AbiSlice, Malformed},
    predicates,
};

/// How the entries of a list combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Logic {
    /// Every entry is required.
    #[serde(rename = "AND")]
    All,
    /// One entry is sufficient.
    #[serde(rename = "OR")]
    Any,
}

impl Logic {
    /// `RequirementLogic` of the ERC and `op` of the composite: 0 is ALL, 1 is ANY.
    pub(crate) const fn from_abi(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::All),
            1 => Some(Self::Any),
            _ => None,
        }
    }

    pub(crate) const fn to_abi(self) -> u8 {
        match self {
            Self::All => 0,
            Self::Any => 1,
        }
    }
}

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all of",
            Self::Any => "any of",
        })
    }
}

/// One entry of a predicate's list. It is informative: only the predicate decides on access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// ERC-165 id of the published marker interface.
    pub kind: FixedBytes<4>,
    /// Encoded as the marker interface defines.
    pub data: Bytes,
    /// Untrusted text. Escape it before display.
    pub label: String,
    /// `kind` and `data`, decoded.
    pub decoded: RequirementKind,
}

/// Kind of a wallet state attestation, used by third-party predicates.
pub(crate) const WALLET_STATE_ATTESTATION_ID: FixedBytes<4> = fixed_bytes!("0x7a111640");

/// The ERC's sentinel for a requirement that a predicate cannot specify.
pub(crate) const UNKNOWN_ID: FixedBytes<4> = FixedBytes::ZERO;

macro_rules! define_requirement_kind {
    (
        configurable { $($configurable:tt)* }
        stateless { $($stateless:tt)* }
    ) => {
        define_requirement_kind! { @rows $($configurable)* $($stateless)* }
    };
    (@rows $(
        $module:ident, $kind:ident, $contract:ident, $code:ident, $artifact:literal, $reads_call_data:literal,
        [$($id:ident)?], $doc:literal;
    )*) => {
        /// A decoded requirement. The kinds of our predicates are defined in [`predicates`].
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
        #[non_exhaustive]
        pub enum RequirementKind {
            $($(
                #[doc = concat!("[`", stringify!($id), "`](atr_bindings::", stringify!($id), ")")]
                $kind(predicates::$module::Requirement),
            )?)*
            /// An attestation about the account.
            WalletStateAttestation(WalletStateAttestation),
            /// The negation of a requirement. The inner requirement has no label.
            Negated(Box<Requirement>),
            /// A nested list.
            Nested {
                /// How the entries combine.
                logic: Logic,
                /// The entries.
                requirements: Vec<Requirement>,
            },
            /// The predicate could not specify the requirement.
            Unknown,
            /// A kind that this library does not know.
            Other,
            /// A known kind with invalid data.
            Malformed,
        }

        $($(
            impl From<predicates::$module::Requirement> for RequirementKind {
                #[doc = concat!("Wraps a requirement of kind `", stringify!($id), "`.")]
                fn from(requirement: predicates::$module::Requirement) -> Self {
                    Self::$kind(requirement)
                }
            }
        )?)*

        impl fmt::Display for Requirement {
            /// Labels are not included: they are untrusted.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match &self.decoded {
                    $($(
                        // `$id` selects the predicates that have a kind of their own.
                        RequirementKind::$kind(requirement) => { let _ = atr_bindings::$id; requirement.fmt(f) }
                    )?)*
                    RequirementKind::WalletStateAttestation(requirement) => requirement.fmt(f),
                    RequirementKind::Negated(requirement) => write!(f, "not: {requirement}"),
                    RequirementKind::Nested { logic, requirements } => nested(f, *logic, requirements),
                    RequirementKind::Unknown => f.write_str("not specified by the predicate"),
                    RequirementKind::Other => write!(f, "unrecognized requirement kind {}", self.kind),
                    RequirementKind::Malformed => {
                        write!(f, "requirement kind {} with invalid data", self.kind)
                    }
                }
            }
        }
    };
}

for_each_predicate!(define_requirement_kind);

fn nested(f: &mut fmt::Formatter<'_>, logic: Logic, requirements: &[Requirement]) -> fmt::Result {
    write!(f, "{logic} (")?;
    for (index, requirement) in requirements.iter().enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        write!(f, "{separator}{requirement}")?;
    }
    f.write_str(")")
}

/// Data of a wallet state attestation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WalletStateAttestation {
    /// URL of the issuer's keys. Untrusted: fetch it only with an SSRF-safe client.
    pub issuer_jwks_uri: String,
    /// Hash of the attested condition.
    pub condition_hash: B256,
}

impl WalletStateAttestation {
    /// `(string issuerJwksUri, bytes32 conditionHash)`.
    pub(crate) fn decode(data: AbiSlice<'_>) -> Result<Self, Malformed> {
        let uri = std::str::from_utf8(data.last_bytes(0, 2)?).map_err(|_| Malformed::NOT_UTF8)?;
        Ok(Self {
            issuer_jwks_uri: uri.to_owned(),
            condition_hash: data.bytes32(1)?,
        })
    }
}

impl fmt::Display for WalletStateAttestation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "present a wallet state attestation for condition {}",
            self.condition_hash
        )
    }
}
