//! Claims about the tool's execution. They are not verified here.

use std::fmt;

use atr_ids::HttpsUrl;

use crate::{Code, Kind, Value, seconds};

/// Defines an enum of string values from the ERC.
macro_rules! string_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// All values.
            pub const NAMES: &[&str] = &[$($text,)+];

            /// Parses a value. None if the ERC does not define it.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The value in the manifest.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

string_enum! {
    /// How far claims can be verified, in ascending order.
    Tier {
        /// Not verifiable.
        SelfAttested = "self-attested",
        /// By a hardware attestation.
        HardwareAttested = "hardware-attested",
        /// From source code to running code.
        Verifiable = "verifiable",
    }
}

string_enum! {
    /// Execution environment.
    Execution {
        /// Ordinary servers.
        Standard = "standard",
        /// Trusted execution environment.
        Tee = "tee",
        /// Trusted execution environment with end-to-end encrypted inputs.
        E2ee = "e2ee",
    }
}

string_enum! {
    /// Data stored after a call.
    DataRetention {
        /// All data.
        Full = "full",
        /// Caller and time only.
        MetadataOnly = "metadata-only",
        /// Deleted after the call.
        Ephemeral = "ephemeral",
        /// Never stored.
        None = "none",
    }
}

string_enum! {
    /// Visibility of the source code.
    SourceVisibility {
        /// Public.
        OpenSource = "open-source",
        /// Reviewed by an auditor.
        Audited = "audited",
        /// Not disclosed.
        Proprietary = "proprietary",
    }
}

/// Whether an attestation report was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttestationEvidence {
    /// No report was verified.
    NotChecked,
    /// A report was fetched, and its chain of trust, hash and age are valid.
    Verified,
}

/// The `verifiability` claims of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verifiability {
    tier: Option<Tier>,
    execution: String,
    has_attestation: bool,
    has_reproducible_build: bool,
    /// Human-readable description.
    pub description: Option<String>,
    /// Claimed data retention. Absence implies nothing (E-40).
    pub data_retention: Option<DataRetention>,
    /// Claimed source visibility. Absence implies nothing.
    pub source_visibility: Option<SourceVisibility>,
    /// How to verify the hardware claims.
    pub attestation: Option<Attestation>,
    /// How to verify the running code.
    pub reproducible_build: Option<ReproducibleBuild>,
}

/// How to obtain an attestation report, and its expected content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// Attestation protocol. The ERC does not define values.
    pub protocol: String,
    /// URL of a fresh report.
    pub endpoint: Option<HttpsUrl>,
    /// Expected measurement in hex.
    pub enclave_hash: Option<String>,
    /// Maximum age of a report in seconds.
    pub max_age: Option<u64>,
    /// Entry in a third-party transparency log.
    pub transparency_log: Option<HttpsUrl>,
}

/// Source code and expected build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproducibleBuild {
    /// URL of the exact source.
    pub source_code: HttpsUrl,
    /// Build instructions.
    pub instructions: Option<String>,
    /// Expected build hash in hex.
    pub build_hash: Option<String>,
}

impl Verifiability {
    /// Parses the claims. None if tier or execution is missing.
    pub(crate) fn from_value(claims: Value<'_>) -> Option<Self> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let object = |name: &str| {
            claims
                .get(name)
                .filter(|value| value.kind() == Kind::Object)
        };
        Some(Self {
            tier: Tier::from_name(text("tier")?),
            execution: text("execution")?.to_owned(),
            has_attestation: object("attestation").is_some(),
            has_reproducible_build: object("reproducibleBuild").is_some(),
            description: text("description").map(str::to_owned),
            data_retention: text("dataRetention").and_then(DataRetention::from_name),
            source_visibility: text("sourceVisibility").and_then(SourceVisibility::from_name),
            attestation: object("attestation").and_then(Attestation::from_value),
            reproducible_build: object("reproducibleBuild").and_then(ReproducibleBuild::from_value),
        })
    }

    /// The declared tier. None if the ERC does not define it.
    #[must_use]
    pub const fn declared_tier(&self) -> Option<Tier> {
        self.tier
    }

    /// The declared execution.
    #[must_use]
    pub fn execution_name(&self) -> &str {
        &self.execution
    }

    /// The execution for trust decisions. An unknown value counts as standard.
    #[must_use]
    pub fn execution(&self) -> Execution {
        Execution::from_name(&self.execution).unwrap_or(Execution::Standard)
    }

    /// The inconsistencies that the ERC lists.
    #[must_use]
    pub fn inconsistencies(&self) -> Vec<Code> {
        let listed = Execution::from_name(&self.execution);
        let is_isolated = matches!(listed, Some(Execution::Tee | Execution::E2ee));
        let found = match self.tier {
            None => [None, None],
            Some(Tier::Verifiable) => {
                let lacks = !self.has_attestation || !self.has_reproducible_build;
                [
                    lacks.then_some(Code::VerifiableNeedsAttestationAndBuild),
                    None,
                ]
            }
            Some(Tier::HardwareAttested) => [
                (listed == Some(Execution::Standard)).then_some(Code::HardwareAttestedOnStandard),
                (!self.has_attestation).then_some(Code::HardwareAttestedNeedsAttestation),
            ],
            Some(Tier::SelfAttested) => [
                is_isolated.then_some(Code::SelfAttestedClaimsIsolation),
                self.has_attestation
                    .then_some(Code::SelfAttestedHasAttestation),
            ],
        };
        found.into_iter().flatten().collect()
    }

    /// The lower of the declared tier and the tier that the other members support.
    #[must_use]
    pub fn effective_tier(&self) -> Tier {
        let is_isolated = self.execution() != Execution::Standard;
        let supported = match (
            is_isolated && self.has_attestation,
            self.has_reproducible_build,
        ) {
            (false, _) => Tier::SelfAttested,
            (true, false) => Tier::HardwareAttested,
            (true, true) => Tier::Verifiable,
        };
        self.tier.unwrap_or(Tier::SelfAttested).min(supported)
    }

    /// The tier to use for trust decisions. Only a verified attestation raises it above self-attested (E-38).
    #[must_use]
    pub fn trusted_tier(&self, evidence: AttestationEvidence) -> Tier {
        match evidence {
            AttestationEvidence::NotChecked => Tier::SelfAttested,
            AttestationEvidence::Verified => self.effective_tier(),
        }
    }
}

impl Attestation {
    fn from_value(value: Value<'_>) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        Some(Self {
            protocol: text("type")?.to_owned(),
            endpoint: text("endpoint").and_then(|url| url.parse().ok()),
            enclave_hash: text("enclaveHash").map(str::to_owned),
            max_age: value.get("maxAge").and_then(seconds::from_value),
            transparency_log: text("transparencyLogURI").and_then(|url| url.parse().ok()),
        })
    }
}

impl ReproducibleBuild {
    fn from_value(value: Value<'_>) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        Some(Self {
            source_code: text("sourceCodeURI")?.parse().ok()?,
            instructions: text("buildInstructions").map(str::to_owned),
            build_hash: text("buildHash").map(str::to_owned),
        })
    }
}
