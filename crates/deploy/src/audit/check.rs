//! Checks of one deployed contract against its expected properties.

use alloy_primitives::{Address, B256, Bytes, FixedBytes, keccak256};
use atr_registry::{Contract, INVALID_INTERFACE, ProxyIndicator, proxy_indicators};
use atr_rpc::Node;
use serde::Serialize;

use crate::{Error, Target, suite};

/// Name of the check of a predicate's registry.
pub(super) const REGISTRY_CHECK: &str = "REGISTRY()";

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "named after the result")]
pub enum AuditStatus {
    Pass,
    Fail,
    Inconclusive,
}

impl AuditStatus {
    /// Fails if one fails; otherwise inconclusive if one is inconclusive.
    pub fn combine(statuses: impl IntoIterator<Item = Self>) -> Self {
        let combine = |combined, status| match (combined, status) {
            (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
            (Self::Inconclusive, _) | (_, Self::Inconclusive) => Self::Inconclusive,
            (Self::Pass, Self::Pass) => Self::Pass,
        };
        statuses.into_iter().fold(Self::Pass, combine)
    }
}

/// One check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Finding {
    pub check: String,
    pub status: AuditStatus,
    /// The value found, or the difference.
    pub detail: String,
    /// Additional input that would make an inconclusive check conclusive.
    #[serde(skip)]
    pub missing_input: Option<MissingInput>,
}

/// Input that an audit lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingInput {
    /// The expected init code hash, [`AuditRequest::init_code_hash`](crate::AuditRequest::init_code_hash).
    InitCodeHash,
    /// The transaction that created the contract, [`AuditRequest::transaction`](crate::AuditRequest::transaction).
    CreationTransaction,
    /// The registry of a predicate, [`AuditRequest::registry`](crate::AuditRequest::registry).
    Registry,
}

impl Finding {
    pub(super) fn inconclusive(
        check: &str,
        detail: impl Into<String>,
        missing_input: Option<MissingInput>,
    ) -> Self {
        Self {
            check: check.to_owned(),
            status: AuditStatus::Inconclusive,
            detail: detail.into(),
            missing_input,
        }
    }

    pub(crate) fn new(check: &str, passes: bool, detail: impl Into<String>) -> Self {
        Self {
            check: check.to_owned(),
            status: if passes {
                AuditStatus::Pass
            } else {
                AuditStatus::Fail
            },
            detail: detail.into(),
            missing_input: None,
        }
    }

    /// The init code determines the CREATE2 address, so the address proves it.
    pub(crate) fn init_code_matches_address(hash: B256) -> Self {
        Self::new(
            "init code",
            true,
            format!("{hash}, proved by the CREATE2 address"),
        )
    }

    pub(super) fn no_code() -> Self {
        Self::new("code", false, "no code at this address")
    }

    pub(super) fn no_proxy(indicators: &[ProxyIndicator]) -> Self {
        let detail = if indicators.is_empty() {
            "all proxy slots are zero".to_owned()
        } else {
            let indicators: Vec<_> = indicators.iter().map(ToString::to_string).collect();
            indicators.join("; ")
        };
        Self::new("no proxy", indicators.is_empty(), detail)
    }
}

/// The expected properties of a contract.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// `None`: the contract has no `name()`, `version()` and ERC-165.
    pub(crate) identity: Option<Identity>,
    /// `None`: the contract has no registry.
    pub(crate) registry: Option<Address>,
    pub(crate) runtime: Runtime,
}

/// What a contract says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) interface_ids: Vec<FixedBytes<4>>,
}

/// Expected runtime code, or its hash.
#[derive(Clone, Debug)]
pub(crate) enum Runtime {
    Code(Bytes),
    Hash(B256),
}

impl From<&Target> for Expected {
    fn from(target: &Target) -> Self {
        Self {
            identity: target.is_core().then(|| Identity {
                name: target.name().to_owned(),
                version: suite::VERSION.to_owned(),
                interface_ids: target.interface_ids(),
            }),
            registry: target.registry(),
            runtime: Runtime::Code(target.runtime()),
        }
    }
}

impl Expected {
    /// Expects another registry, if one is given and the contract has one.
    pub(super) fn with_registry(mut self, registry: Option<Address>) -> Self {
        self.registry = self.registry.map(|own| registry.unwrap_or(own));
        self
    }

    /// Checks code, proxy slots, name, version, registry and interfaces. Returns a single finding if there is no code.
    pub(crate) async fn check(&self, node: &Node, address: Address) -> Result<Vec<Finding>, Error> {
        let code = node.code(address).await?;
        if code.is_empty() {
            return Ok(vec![Finding::no_code()]);
        }
        let mut findings = vec![self.code(&code)];
        let indicators = proxy_indicators(node.provider(), address, &code).await?;
        findings.push(Finding::no_proxy(&indicators));
        let contract = Contract::new(node.provider(), address);
        if let Some(identity) = &self.identity {
            findings.push(compare("name()", &identity.name, contract.name().await?));
            let version = contract.version().await?;
            findings.push(compare("version()", &identity.version, version));
        }
        if let Some(registry) = self.registry {
            let found = contract.registry().await?;
            findings.push(compare(REGISTRY_CHECK, &registry, found));
        }
        if let Some(identity) = &self.identity {
            findings.push(identity.interfaces(contract).await?);
        }
        Ok(findings)
    }

    fn code(&self, found: &Bytes) -> Finding {
        let (check, size) = ("runtime code", found.len());
        let difference = match &self.runtime {
            Runtime::Code(expected) => difference(expected, found),
            Runtime::Hash(expected) => {
                let hash = keccak256(found);
                (hash != *expected).then(|| format!("hash {hash}, expected {expected}"))
            }
        };
        let passes = difference.is_none();
        let detail = difference.unwrap_or_else(|| format!("{size} bytes, identical"));
        Finding::new(check, passes, detail)
    }
}

impl Identity {
    async fn interfaces(&self, contract: Contract<'_>) -> Result<Finding, Error> {
        let mut differences = Vec::new();
        let declared = self.interface_ids.iter().map(|id| (*id, true));
        for (id, expected) in declared.chain([(INVALID_INTERFACE, false)]) {
            if contract.supports_interface(id).await? != Some(expected) {
                let verb = if expected {
                    "does not declare"
                } else {
                    "declares"
                };
                differences.push(format!("{verb} {id}"));
            }
        }
        let ids: Vec<_> = self.interface_ids.iter().map(ToString::to_string).collect();
        let passes = differences.is_empty();
        let detail = if passes { ids } else { differences };
        Ok(Finding::new("interface ids", passes, detail.join(", ")))
    }
}

fn compare<T: PartialEq + ToString>(check: &str, expected: &T, found: Option<T>) -> Finding {
    let Some(found) = found else {
        return Finding::new(check, false, "call failed");
    };
    let passes = *expected == found;
    let detail = if passes {
        found.to_string()
    } else {
        format!("{}, expected {}", found.to_string(), expected.to_string())
    };
    Finding::new(check, passes, detail)
}

/// Describes the difference of two codes; `None` if they are identical.
fn difference(expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    if expected.len() != found.len() {
        let (found, expected) = (found.len(), expected.len());
        return Some(format!("{found} bytes, expected {expected}"));
    }
    let pairs = || expected.iter().zip(found);
    let count = pairs().filter(|(left, right)| left != right).count();
    let first = pairs().position(|(left, right)| left != right)?;
    Some(format!("{count} bytes differ, the first at offset {first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_difference_of_two_codes() {
        assert_eq!(difference(b"abc", b"abc"), None);
        assert_eq!(difference(b"abc", b"ab").unwrap(), "2 bytes, expected 3");
        assert_eq!(
            difference(b"abcd", b"axcx").unwrap(),
            "2 bytes differ, the first at offset 1"
        );
    }
}
