//! Information about a predicate as a contract.

use std::fmt;

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::{ACCESS_PREDICATE_ID, PredicateKind, READS_CALL_DATA_ID};
use serde::Serialize;

use crate::{Error, InterfaceSupport, ProxyIndicator, Registry, contract};

/// Information about a predicate. Only the code hash is trustworthy; the contract chooses the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct PredicateInfo {
    pub address: Address,
    /// Without code the registry cannot determine access: it is unknown for every account.
    pub has_code: bool,
    /// keccak256 of the runtime code.
    pub code_hash: Option<B256>,
    /// `name()`, at most 256 bytes.
    pub name: Option<String>,
    /// ERC-165 support of `IAccessPredicate`.
    pub interface_support: InterfaceSupport,
    /// Whether the contract declares that its result depends on the call data.
    pub reads_call_data: bool,
    pub proxy_indicators: Vec<ProxyIndicator>,
    /// `REGISTRY()`, if the contract has it.
    pub registry: Option<Address>,
}

/// A risk of using a predicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "warning", rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "plain data")]
pub enum PredicateWarning {
    /// There is no code at the address (K-07).
    NoCode,
    /// The code can change without an event of the registry (K-02).
    Proxy { indicators: Vec<ProxyIndicator> },
    /// The contract does not declare `IAccessPredicate` (K-06).
    InterfaceNotDeclared { support: InterfaceSupport },
    /// The predicate belongs to another registry, whose tool ids denote other tools.
    OtherRegistry { registry: Address },
}

impl PredicateInfo {
    /// Whether the contract looks like a proxy, whose code can change.
    #[must_use]
    pub const fn is_proxy(&self) -> bool {
        !self.proxy_indicators.is_empty()
    }

    /// The predicate that the contract claims to be, by its name.
    #[must_use]
    pub fn kind(&self) -> Option<PredicateKind> {
        PredicateKind::from_name(self.name.as_deref()?)
    }

    /// Name and address, escaped for display. The name is a claim of the contract.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.name.as_deref().map(atr_ids::excerpt);
        let name = name.map_or_else(String::new, |name| format!("{name} at "));
        format!("{name}{}", self.address)
    }

    /// Risks of using the predicate for a tool of this registry.
    #[must_use]
    pub fn warnings(&self, registry: Address) -> Vec<PredicateWarning> {
        if !self.has_code {
            return vec![PredicateWarning::NoCode];
        }
        let mut warnings = Vec::new();
        if self.is_proxy() {
            warnings.push(PredicateWarning::Proxy {
                indicators: self.proxy_indicators.clone(),
            });
        }
        if self.interface_support != InterfaceSupport::Declared {
            warnings.push(PredicateWarning::InterfaceNotDeclared {
                support: self.interface_support,
            });
        }
        if let Some(other) = self.registry.filter(|found| *found != registry) {
            warnings.push(PredicateWarning::OtherRegistry { registry: other });
        }
        warnings
    }
}

impl fmt::Display for PredicateWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCode => f.write_str(
                "the predicate is not yet available: it has no code; no account has access until it is deployed",
            ),
            Self::Proxy { indicators } => {
                f.write_str("the predicate is a proxy, so its code can change: ")?;
                let indicators: Vec<_> = indicators.iter().map(ToString::to_string).collect();
                f.write_str(&indicators.join("; "))
            }
            Self::InterfaceNotDeclared {
                support: InterfaceSupport::NoErc165,
            } => f.write_str("the contract does not support ERC-165, so it does not declare IAccessPredicate"),
            Self::InterfaceNotDeclared { .. } => {
                f.write_str("the contract does not declare IAccessPredicate through ERC-165")
            }
            Self::OtherRegistry { registry } => {
                write!(f, "the predicate belongs to another registry, {registry}")
            }
        }
    }
}

impl Registry {
    /// Reads information about a predicate, all at one block.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn predicate_info(&self, predicate: Address) -> Result<PredicateInfo, Error> {
        let view = self.view_at(self.block().await?);
        let code = view.code(predicate).await?;
        if code.is_empty() {
            return Ok(PredicateInfo {
                address: predicate,
                has_code: false,
                code_hash: None,
                name: None,
                interface_support: InterfaceSupport::NoErc165,
                reads_call_data: false,
                proxy_indicators: Vec::new(),
                registry: None,
            });
        }
        let (name, interface_support, reads_call_data, proxy_indicators, registry) = tokio::try_join!(
            contract::name(view, predicate),
            contract::interface_support(view, predicate, ACCESS_PREDICATE_ID),
            contract::interface_support(view, predicate, READS_CALL_DATA_ID),
            contract::proxy_indicators_at(view, predicate, &code),
            contract::registry(view, predicate),
        )?;
        Ok(PredicateInfo {
            address: predicate,
            has_code: true,
            code_hash: Some(keccak256(&code)),
            name,
            interface_support,
            reads_call_data: reads_call_data == InterfaceSupport::Declared,
            proxy_indicators,
            registry,
        })
    }
}
