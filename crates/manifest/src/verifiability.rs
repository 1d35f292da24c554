//! What a tool claims about how it runs. Claims only: nothing here says that one is true.

use std::fmt;

use atr_ids::HttpsUrl;

use crate::{Code, Kind, Value, seconds};

/// Makes an enum of the ERC's words for something.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every word there is.
            pub const NAMES: &[&str] = &[$($word,)+];

            /// What a word means; none for a word the ERC does not list.
            #[must_use]
            pub fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word for it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
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

words! {
    /// How far a claim could be checked, from least to most.
    Tier {
        /// Not at all: the operator's word.
        SelfAttested = "self-attested",
        /// Against the hardware's root of trust.
        HardwareAttested = "hardware-attested",
        /// From source to running code.
        Verifiable = "verifiable",
    }
}

words! {
    /// Where the tool runs.
    Execution {
        /// On ordinary servers.
        Standard = "standard",
        /// In a trusted execution environment.
        Tee = "tee",
        /// The same, and inputs are encrypted up to there.
        E2ee = "e2ee",
    }
}

words! {
    /// What is kept after a call.
    DataRetention {
        /// Everything.
        Full = "full",
        /// Who and when, not what.
        MetadataOnly = "metadata-only",
        /// Nothing once the call is over.
        Ephemeral = "ephemeral",
        /// Nothing at all.
        None = "none",
    }
}

words! {
    /// Who can read the source.
    SourceVisibility {
        /// Everybody.
        OpenSource = "open-source",
        /// An auditor.
        Audited = "audited",
        /// Nobody.
        Proprietary = "proprietary",
    }
}

/// Whether somebody has looked behind the claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttestationEvidence {
    /// Nobody fetched and checked a report.
    NotChecked,
    /// A report was fetched and its chain of trust, hash and age hold.
    Verified,
}

/// The claims of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verifiability {
    tier: Option<Tier>,
    execution: String,
    has_attestation: bool,
    has_reproducible_build: bool,
    /// What it says about itself.
    pub description: Option<String>,
    /// What it claims to keep. None is no claim: nothing follows from its absence (E-40).
    pub data_retention: Option<DataRetention>,
    /// Who it claims can read the source. None is no claim.
    pub source_visibility: Option<SourceVisibility>,
    /// How to check the claims about hardware.
    pub attestation: Option<Attestation>,
    /// How to check the claims about code.
    pub reproducible_build: Option<ReproducibleBuild>,
}

/// Where an attestation report is to be had, and what it should say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// The protocol, opaque to the ERC.
    pub protocol: String,
    /// Where a fresh report is to be had.
    pub endpoint: Option<HttpsUrl>,
    /// The measurement it should show, in hex.
    pub enclave_hash: Option<String>,
    /// Seconds after which a report is too old.
    pub max_age: Option<u64>,
    /// An entry in a log run by somebody else.
    pub transparency_log: Option<HttpsUrl>,
}

/// Where the source is, and what it builds to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproducibleBuild {
    /// The exact source.
    pub source_code: HttpsUrl,
    /// How to build it.
    pub instructions: Option<String>,
    /// What the build should yield, in hex.
    pub build_hash: Option<String>,
}

impl Verifiability {
    /// The claims, if tier and execution are there.
    pub(crate) fn of(claims: Value<'_>) -> Option<Self> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let object = |name: &str| {
            claims
                .get(name)
                .filter(|value| value.kind() == Kind::Object)
        };
        Some(Self {
            tier: Tier::named(text("tier")?),
            execution: text("execution")?.to_owned(),
            has_attestation: object("attestation").is_some(),
            has_reproducible_build: object("reproducibleBuild").is_some(),
            description: text("description").map(str::to_owned),
            data_retention: text("dataRetention").and_then(DataRetention::named),
            source_visibility: text("sourceVisibility").and_then(SourceVisibility::named),
            attestation: object("attestation").and_then(Attestation::of),
            reproducible_build: object("reproducibleBuild").and_then(ReproducibleBuild::of),
        })
    }

    /// The tier the manifest declares; none if it is a word the ERC does not list.
    #[must_use]
    pub const fn declared_tier(&self) -> Option<Tier> {
        self.tier
    }

    /// The execution as the manifest names it.
    #[must_use]
    pub fn execution_name(&self) -> &str {
        &self.execution
    }

    /// The execution for questions of trust: what is not recognised counts as standard.
    #[must_use]
    pub fn execution(&self) -> Execution {
        Execution::named(&self.execution).unwrap_or(Execution::Standard)
    }

    /// The inconsistencies that the ERC lists, and no others.
    #[must_use]
    pub fn inconsistencies(&self) -> Vec<Code> {
        let listed = Execution::named(&self.execution);
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

    /// The lower of the declared tier and the one the other members support.
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

    /// The tier to act on. No claim raises it: only a checked attestation does (E-38).
    #[must_use]
    pub fn trusted_tier(&self, evidence: AttestationEvidence) -> Tier {
        match evidence {
            AttestationEvidence::NotChecked => Tier::SelfAttested,
            AttestationEvidence::Verified => self.effective_tier(),
        }
    }
}

impl Attestation {
    fn of(value: Value<'_>) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        Some(Self {
            protocol: text("type")?.to_owned(),
            endpoint: text("endpoint").and_then(|url| url.parse().ok()),
            enclave_hash: text("enclaveHash").map(str::to_owned),
            max_age: value.get("maxAge").and_then(seconds::of),
            transparency_log: text("transparencyLogURI").and_then(|url| url.parse().ok()),
        })
    }
}

impl ReproducibleBuild {
    fn of(value: Value<'_>) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        Some(Self {
            source_code: text("sourceCodeURI")?.parse().ok()?,
            instructions: text("buildInstructions").map(str::to_owned),
            build_hash: text("buildHash").map(str::to_owned),
        })
    }
}
