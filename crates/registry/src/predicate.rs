//! What can be found out about a predicate as a contract.

use std::fmt;

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::{ACCESS_PREDICATE_ID, READS_CALL_DATA_ID};
use serde::Serialize;

use crate::{Error, InterfaceSupport, ProxyIndicator, Registry, diagnostic, proxy};

/// A predicate's own marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PredicateInfo {
    /// Where it is.
    pub address: Address,
    /// Whether there is code. Without, the tool lets nobody in until there is: not yet available, and never open.
    pub has_code: bool,
    /// keccak256 of its code.
    pub code_hash: Option<B256>,
    /// What `name()` says, if it says it in 256 bytes.
    pub name: Option<String>,
    /// Whether it says it is an `IAccessPredicate`.
    pub advertised: InterfaceSupport,
    /// Whether it says that its answer depends on the call's data.
    pub reads_call_data: bool,
    /// Signs that another contract answers in its place.
    pub proxy_indicators: Vec<ProxyIndicator>,
    /// The registry it says it serves, of those that say so.
    pub registry: Option<Address>,
}

/// What a user should know before trusting a predicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "warning", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PredicateWarning {
    /// There is no code (K-07).
    NotYetAvailable,
    /// Somebody can change what it answers without the registry telling (K-02).
    IsProxy {
        /// How that shows.
        signs: Vec<ProxyIndicator>,
    },
    /// It does not say that it is a predicate (K-06).
    DoesNotAdvertise {
        /// Whether it answers ERC-165 at all.
        advertised: InterfaceSupport,
    },
    /// It serves another registry, so that its tool ids are others.
    ServesAnother {
        /// The registry it serves.
        registry: Address,
    },
}

impl PredicateInfo {
    /// Whether anything looks like a proxy. Counts as a higher risk.
    #[must_use]
    pub const fn is_proxy(&self) -> bool {
        !self.proxy_indicators.is_empty()
    }

    /// The predicate in a few words, fit to be shown. Its name is its own claim.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.name.as_deref().map(atr_ids::excerpt);
        let name = name.map_or_else(String::new, |name| format!("{name} at "));
        format!("{name}{}", self.address)
    }

    /// What a user should know; `registry` is the one whose tool it guards.
    #[must_use]
    pub fn warnings(&self, registry: Address) -> Vec<PredicateWarning> {
        if !self.has_code {
            return vec![PredicateWarning::NotYetAvailable];
        }
        let mut warnings = Vec::new();
        if self.is_proxy() {
            warnings.push(PredicateWarning::IsProxy {
                signs: self.proxy_indicators.clone(),
            });
        }
        if self.advertised != InterfaceSupport::Yes {
            warnings.push(PredicateWarning::DoesNotAdvertise {
                advertised: self.advertised,
            });
        }
        if let Some(other) = self.registry.filter(|served| *served != registry) {
            warnings.push(PredicateWarning::ServesAnother { registry: other });
        }
        warnings
    }
}

impl fmt::Display for PredicateWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYetAvailable => {
                f.write_str("the predicate is not yet available: there is no code at its address, so nobody gets in")
            }
            Self::IsProxy { signs } => {
                f.write_str("the predicate can be changed behind the registry's back: ")?;
                let signs: Vec<_> = signs.iter().map(ToString::to_string).collect();
                f.write_str(&signs.join("; "))
            }
            Self::DoesNotAdvertise {
                advertised: InterfaceSupport::Silent,
            } => f.write_str("the contract does not say that it is a predicate: it does not answer ERC-165"),
            Self::DoesNotAdvertise { .. } => f.write_str(
                "the contract does not say that it is a predicate: it answers ERC-165 and leaves IAccessPredicate out",
            ),
            Self::ServesAnother { registry } => {
                write!(f, "the predicate serves another registry, {registry}")
            }
        }
    }
}

impl Registry {
    /// Looks at a predicate, everything at one block.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn predicate(&self, predicate: Address) -> Result<PredicateInfo, Error> {
        let view = self.view_at(self.block().await?);
        let code = view.code(predicate).await?;
        if code.is_empty() {
            return Ok(PredicateInfo {
                address: predicate,
                has_code: false,
                code_hash: None,
                name: None,
                advertised: InterfaceSupport::Silent,
                reads_call_data: false,
                proxy_indicators: Vec::new(),
                registry: None,
            });
        }
        let (name, advertised, reads_data, proxy_indicators, registry) = tokio::try_join!(
            diagnostic::name(view, predicate),
            diagnostic::advertises(view, predicate, ACCESS_PREDICATE_ID),
            diagnostic::advertises(view, predicate, READS_CALL_DATA_ID),
            proxy::signs(view, predicate, &code),
            diagnostic::registry_of(view, predicate),
        )?;
        Ok(PredicateInfo {
            address: predicate,
            has_code: true,
            code_hash: Some(keccak256(&code)),
            name,
            advertised,
            reads_call_data: reads_data == InterfaceSupport::Yes,
            proxy_indicators,
            registry,
        })
    }
}
