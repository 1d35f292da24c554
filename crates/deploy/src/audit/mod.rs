//! Audits of existing deployments.
//!
//! Equal runtime code is not sufficient: another constructor can write different storage and return the same code. The audit
//! therefore checks the init code, through the CREATE2 address or the creation transaction. Without either, or if the transaction
//! created the contract by an inner call, the result is inconclusive.

mod check;
mod provenance;
mod reference;

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::{CONTRACTS, ContractCode, TOOL_REGISTRY};
use atr_registry::{Contract, InterfaceSupport, Registry, proxy_indicators};
use atr_rpc::Node;
use serde::Serialize;

pub(crate) use self::check::Expected;
pub use self::check::{AuditStatus, Finding, MissingInput};
use self::{check::REGISTRY_CHECK, provenance::check_init_code, reference::ReferenceContract};
use crate::{Error, Suite, Target};

/// The contracts to audit.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The contracts of a suite at their predicted addresses.
    Suite(Suite),
    /// The public reference deployment.
    Reference,
    /// A registry, and those of our predicates for it that [`AuditRequest::only`] names.
    Registry(Address),
    /// The contract at an address.
    Address(Address),
}

/// The input of an audit.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct AuditRequest {
    pub subject: Subject,
    /// Names of the contracts to audit; empty for all.
    pub only: Vec<String>,
    /// The registry that predicates must have; `None` if it is not known.
    pub registry: Option<Address>,
    /// Salt of our contracts.
    pub salt: B256,
    /// The transaction that created the contract, if it is known. Only for one contract.
    pub transaction: Option<B256>,
    /// The expected init code hash. Only for one contract.
    pub init_code_hash: Option<B256>,
}

/// The result of an audit.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Audit {
    pub chain_id: u64,
    pub contracts: Vec<ContractAudit>,
}

/// The result for one contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct ContractAudit {
    /// The contract name, possibly only as claimed by the contract.
    pub contract: String,
    pub address: Address,
    pub origin: Origin,
    pub findings: Vec<Finding>,
}

/// The deployment that a contract belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Deployed by this project.
    Ours,
    /// The public reference deployment.
    Reference,
    /// Any other.
    Unknown,
}

impl ContractAudit {
    /// The combined result of all checks.
    #[must_use]
    pub fn status(&self) -> AuditStatus {
        AuditStatus::combine(self.findings.iter().map(|finding| finding.status))
    }
}

impl Audit {
    /// The combined result of all contracts.
    #[must_use]
    pub fn status(&self) -> AuditStatus {
        AuditStatus::combine(self.contracts.iter().map(ContractAudit::status))
    }

    /// Runs the audit.
    ///
    /// # Errors
    ///
    /// When an RPC request fails or the node is not on the expected chain.
    pub async fn run(
        node: &Node,
        expected: Option<u64>,
        request: &AuditRequest,
    ) -> Result<Self, Error> {
        let selection = Selection::new(request)?;
        let chain_id = node.chain_id(expected).await?;
        let mut contracts = Vec::new();
        for audited in selection.contracts {
            contracts.push(match audited {
                Audited::Target(target) => audit_target(node, &target, request).await?,
                Audited::Reference(contract) => audit_reference(node, &contract, request).await?,
                Audited::Registry(address) => audit_registry(node, address, request).await?,
                Audited::Address(address) => audit_address(node, address, request).await?,
            });
        }
        Ok(Self {
            chain_id,
            contracts,
        })
    }
}

/// The contracts of a request.
struct Selection {
    contracts: Vec<Audited>,
}

enum Audited {
    Target(Target),
    Reference(ReferenceContract),
    Registry(Address),
    Address(Address),
}

impl Selection {
    fn new(request: &AuditRequest) -> Result<Self, Error> {
        let only = &request.only;
        let contracts = match &request.subject {
            Subject::Suite(suite) => targets(suite.clone(), only)?,
            Subject::Reference => {
                let all = reference::contracts();
                let names: Vec<_> = all.iter().map(|contract| contract.name).collect();
                check_names(only, &names)?;
                let is_wanted = |contract: &ReferenceContract| {
                    only.is_empty() || only.iter().any(|name| name == contract.name)
                };
                let wanted = all.into_iter().filter(is_wanted);
                wanted.map(Audited::Reference).collect()
            }
            Subject::Registry(address) => {
                let (registry, predicates): (Vec<_>, Vec<_>) = only
                    .iter()
                    .cloned()
                    .partition(|name| name == TOOL_REGISTRY.name());
                let mut contracts = Vec::new();
                if only.is_empty() || !registry.is_empty() {
                    contracts.push(Audited::Registry(*address));
                }
                if !predicates.is_empty() {
                    let suite = Suite::for_registry(request.salt, *address);
                    contracts.extend(targets(suite, &predicates)?);
                }
                contracts
            }
            Subject::Address(address) => vec![Audited::Address(*address)],
        };
        let is_for_one = request.transaction.is_some() || request.init_code_hash.is_some();
        if is_for_one && contracts.len() != 1 {
            return Err(Error::SeveralContracts {
                count: contracts.len(),
            });
        }
        Ok(Self { contracts })
    }
}

/// The contracts of a suite with these names; all without names.
fn targets(suite: Suite, only: &[String]) -> Result<Vec<Audited>, Error> {
    let suite = if only.is_empty() {
        suite
    } else {
        suite.only(only)?
    };
    let targets = suite.targets().iter().cloned();
    Ok(targets.map(Audited::Target).collect())
}

fn check_names(names: &[String], known: &[&'static str]) -> Result<(), Error> {
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::UnknownContract {
            name: name.clone(),
            known: known.to_vec(),
        }),
    }
}

async fn audit_target(
    node: &Node,
    target: &Target,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let expected = Expected::from(target).with_registry(request.registry);
    let mut findings = expected.check(node, target.address()).await?;
    if findings.len() > 1 {
        let hash = Some(target.init_code_hash());
        findings.push(check_init_code(node, target.address(), request, hash).await?);
    }
    Ok(ContractAudit {
        contract: target.name().to_owned(),
        address: target.address(),
        origin: Origin::Ours,
        findings,
    })
}

async fn audit_reference(
    node: &Node,
    contract: &ReferenceContract,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let expected = Expected::from(contract).with_registry(request.registry);
    let mut findings = expected.check(node, contract.address).await?;
    if findings.len() > 1 {
        let request = AuditRequest {
            salt: reference::REFERENCE_SALT,
            ..request.clone()
        };
        let hash = Some(contract.init_code_hash);
        findings.push(check_init_code(node, contract.address, &request, hash).await?);
    }
    Ok(ContractAudit {
        contract: contract.name.to_owned(),
        address: contract.address,
        origin: Origin::Reference,
        findings,
    })
}

/// Audits a contract that must be a registry.
async fn audit_registry(
    node: &Node,
    address: Address,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let mut audit = audit_address(node, address, request).await?;
    if audit.findings.len() > 1 {
        audit.findings.push(check_is_registry(node, address).await?);
    }
    Ok(audit)
}

async fn check_is_registry(node: &Node, address: Address) -> Result<Finding, Error> {
    let check = "registry";
    let registry = Registry::connect(node.provider().clone(), address).await?;
    let count = match registry.tool_count().await {
        Ok(count) => count,
        Err(error @ atr_registry::Error::NotARegistry { .. }) => {
            return Ok(Finding::new(check, false, error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let support = registry.info().await?.interface_support;
    let is_declared = support == InterfaceSupport::Declared;
    let detail = if is_declared {
        format!("{count} tools registered so far")
    } else {
        "does not declare IToolRegistry through ERC-165".to_owned()
    };
    Ok(Finding::new(check, is_declared, detail))
}

async fn audit_address(
    node: &Node,
    address: Address,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let suite = Suite::new(request.salt);
    if let Some(target) = suite
        .targets()
        .iter()
        .find(|target| target.address() == address)
    {
        return audit_target(node, target, request).await;
    }
    let reference = reference::contracts();
    if let Some(contract) = reference.iter().find(|known| known.address == address) {
        return audit_reference(node, contract, request).await;
    }
    let claimed = Contract::new(node.provider(), address).name().await?;
    let code = claimed
        .as_ref()
        .and_then(|name| CONTRACTS.into_iter().find(|code| code.name() == name));
    match code {
        Some(code) => audit_claimed(node, address, code, request).await,
        None => audit_unknown(node, address, claimed, request).await,
    }
}

/// Audits a contract that has the name of one of ours at another address.
async fn audit_claimed(
    node: &Node,
    address: Address,
    code: &'static ContractCode,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let claimed = Contract::new(node.provider(), address).registry().await?;
    let target = Target::new(code, request.salt, claimed.unwrap_or_default());
    let expected = Expected::from(&target).with_registry(request.registry);
    let mut findings = expected.check(node, address).await?;
    if request.registry.is_none() {
        // The contract was compared with its own claim, which says nothing.
        for finding in &mut findings {
            if let (REGISTRY_CHECK, Some(claimed)) = (finding.check.as_str(), claimed) {
                let detail = format!("{claimed}; no registry was named to compare with");
                let missing = Some(MissingInput::Registry);
                *finding = Finding::inconclusive(REGISTRY_CHECK, detail, missing);
            }
        }
    }
    let hash = Some(target.init_code_hash());
    findings.push(check_init_code(node, address, request, hash).await?);
    Ok(ContractAudit {
        contract: code.name().to_owned(),
        address,
        origin: if target.address() == address {
            Origin::Ours
        } else {
            Origin::Unknown
        },
        findings,
    })
}

/// Audits a contract that is not known to this library.
async fn audit_unknown(
    node: &Node,
    address: Address,
    claimed: Option<String>,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let mut findings = vec![];
    let code = node.code(address).await?;
    if code.is_empty() {
        findings.push(Finding::no_code());
    } else {
        let (size, hash) = (code.len(), keccak256(&code));
        let indicators = proxy_indicators(node.provider(), address, &code).await?;
        let init_code = check_init_code(node, address, request, None).await?;
        // The pinned init code determines the runtime code.
        findings.push(if init_code.status == AuditStatus::Pass {
            let detail = format!("{size} bytes, hash {hash}, from the pinned init code");
            Finding::new("runtime code", true, detail)
        } else {
            let detail = format!("{size} bytes, hash {hash}; not a known contract");
            Finding::inconclusive("runtime code", detail, None)
        });
        findings.push(Finding::no_proxy(&indicators));
        findings.push(init_code);
    }
    Ok(ContractAudit {
        contract: claimed.unwrap_or_else(|| "unnamed contract".to_owned()),
        address,
        origin: Origin::Unknown,
        findings,
    })
}
