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

    /// ANY for ALL, and ALL for ANY.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::All => Self::Any,
            Self::Any => Self::All,
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

        impl Requirement {
            /// Labels are not included: they are untrusted.
            fn write(&self, f: &mut fmt::Formatter<'_>, custom: &CustomText<'_>) -> fmt::Result {
                if let Some(text) = custom(&self.decoded) {
                    return f.write_str(&text);
                }
                match &self.decoded {
                    $($(
                        // `$id` selects the predicates that have a kind of their own.
                        RequirementKind::$kind(requirement) => { let _ = atr_bindings::$id; fmt::Display::fmt(requirement, f) }
                    )?)*
                    RequirementKind::WalletStateAttestation(requirement) => fmt::Display::fmt(requirement, f),
                    RequirementKind::Negated(requirement) => negated(f, requirement, custom),
                    RequirementKind::Nested { logic, requirements } => nested(f, *logic, requirements, custom),
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

/// Text for a kind about which the caller knows more, such as the symbol of its token; `None` for the usual text.
pub type CustomText<'a> = dyn Fn(&RequirementKind) -> Option<String> + 'a;

impl Requirement {
    /// The requirement in words, with the caller's text for some kinds, also inside of lists and negations.
    #[must_use]
    pub fn describe(&self, custom: &CustomText<'_>) -> String {
        WithText(self, custom).to_string()
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}

struct WithText<'a>(&'a Requirement, &'a CustomText<'a>);

impl fmt::Display for WithText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

/// Entries joined with "or" or "and". Lists inside are in parentheses.
fn nested(
    f: &mut fmt::Formatter<'_>,
    logic: Logic,
    requirements: &[Requirement],
    custom: &CustomText<'_>,
) -> fmt::Result {
    if requirements.is_empty() {
        return write!(f, "{logic} an empty list");
    }
    for (index, requirement) in requirements.iter().enumerate() {
        if index > 0 {
            f.write_str(match logic {
                Logic::All => " and ",
                Logic::Any => " or ",
            })?;
        }
        let text = requirement.describe(custom);
        match &requirement.decoded {
            RequirementKind::Nested { .. } => write!(f, "({text})")?,
            _ => f.write_str(&text)?,
        }
    }
    Ok(())
}

fn negated(
    f: &mut fmt::Formatter<'_>,
    requirement: &Requirement,
    custom: &CustomText<'_>,
) -> fmt::Result {
    let text = requirement.describe(custom);
    let is_list = matches!(requirement.decoded, RequirementKind::Nested { .. });
    let is_verb = ["hold ", "have "].iter().any(|verb| text.starts_with(verb));
    match requirement.decoded {
        RequirementKind::AlwaysDeny(_) => f.write_str("met by every account"),
        _ if is_verb && !is_list => write!(f, "do not {text}"),
        _ => write!(f, "not ({text})"),
    }
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

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};

    use super::*;
    use crate::predicates::{always_deny, erc20_balance, erc721_owner, erc1155_owner};

    fn requirement(decoded: impl Into<RequirementKind>) -> Requirement {
        Requirement {
            kind: UNKNOWN_ID,
            data: Bytes::new(),
            label: String::new(),
            decoded: decoded.into(),
        }
    }

    fn collection(byte: u8) -> Requirement {
        let collection = Address::repeat_byte(byte);
        requirement(erc721_owner::Requirement { collection })
    }

    fn not(inner: Requirement) -> Requirement {
        requirement(RequirementKind::Negated(Box::new(inner)))
    }

    fn list(logic: Logic, requirements: Vec<Requirement>) -> Requirement {
        requirement(RequirementKind::Nested {
            logic,
            requirements,
        })
    }

    #[test]
    fn nested_requirements_are_described_in_words() {
        let balance = requirement(erc20_balance::Configuration {
            token: Address::repeat_byte(2),
            min_balance: U256::from(100),
            stipend: None,
        });
        let token = requirement(erc1155_owner::Requirement {
            collection: Address::repeat_byte(3),
            token_id: U256::from(7),
        });
        let either = list(Logic::Any, vec![collection(1), balance]);
        let [one, two, three] = [1, 2, 3].map(Address::repeat_byte);
        let either_text = format!(
            "hold a token of {one} (ERC-721) or hold at least 100 (base units) of {two} (ERC-20)"
        );
        assert_eq!(either.to_string(), either_text);
        assert_eq!(
            not(token.clone()).to_string(),
            format!("do not hold token 7 of {three} (ERC-1155)")
        );
        assert_eq!(
            list(Logic::All, vec![either.clone(), not(token)]).to_string(),
            format!("({either_text}) and do not hold token 7 of {three} (ERC-1155)")
        );
        assert_eq!(not(either).to_string(), format!("not ({either_text})"));
        let denied = requirement(always_deny::Requirement {});
        assert_eq!(not(denied).to_string(), "met by every account");
        let unknown = requirement(RequirementKind::Unknown);
        assert_eq!(
            not(unknown).to_string(),
            "not (not specified by the predicate)"
        );
    }

    #[test]
    fn callers_can_describe_a_kind_in_their_own_words() {
        let nested = list(Logic::All, vec![not(collection(1)), collection(2)]);
        let text = nested.describe(&|kind| match kind {
            RequirementKind::Erc721(requirement) if requirement.collection.is_zero() => None,
            RequirementKind::Erc721(_) => Some("hold an ape".to_owned()),
            _ => None,
        });
        assert_eq!(text, "do not hold an ape and hold an ape");
    }
}
