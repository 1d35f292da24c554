//! Audits of existing deployments.
//!
//! Equal runtime code is not sufficient: another constructor can write different storage and return the same code. The audit
//! therefore checks the init code, through the CREATE2 address or the creation transaction. Without either, the result is
//! inconclusive.

mod check;
mod provenance;
mod reference;

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::{CONTRACTS, ContractCode};
use atr_registry::{Contract, proxy_indicators};
use atr_rpc::Node;
use serde::Serialize;

pub(crate) use self::check::Expected;
pub use self::check::{AuditStatus, Finding, MissingInput};
use self::{provenance::Provenance, reference::ReferenceContract};
use crate::{Error, Suite, Target};

/// The contracts to audit.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The contracts of a suite at their predicted addresses.
    Suite(Suite),
    /// The public reference deployment.
    Reference,
    /// The contract at an address.
    Address(Address),
}

/// The input of an audit.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct AuditRequest {
    pub subject: Subject,
    /// Salt of our contracts.
    pub salt: B256,
    /// The transaction that created the contract, if it is known.
    pub transaction: Option<B256>,
    /// The expected init code hash of a contract that is not ours.
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
        let chain_id = node.chain_id(expected).await?;
        let mut contracts = Vec::new();
        match &request.subject {
            Subject::Suite(suite) => {
                for target in suite.targets() {
                    contracts.push(audit_target(node, target).await?);
                }
            }
            Subject::Reference => {
                for contract in reference::contracts() {
                    contracts.push(audit_reference(node, &contract, request).await?);
                }
            }
            Subject::Address(address) => {
                contracts.push(audit_address(node, *address, request).await?);
            }
        }
        Ok(Self {
            chain_id,
            contracts,
        })
    }
}

async fn audit_target(node: &Node, target: &Target) -> Result<ContractAudit, Error> {
    let mut findings = Expected::from(target).check(node, target.address()).await?;
    if findings.len() > 1 {
        findings.push(Finding::init_code_matches_address(target.init_code_hash()));
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
    let mut findings = Expected::from(contract)
        .check(node, contract.address)
        .await?;
    if findings.len() > 1 {
        let request = AuditRequest {
            salt: reference::REFERENCE_SALT,
            init_code_hash: request.init_code_hash.or(contract.init_code_hash),
            ..request.clone()
        };
        let provenance = Provenance::find(node, contract.address, &request).await?;
        findings.push(provenance.check(request.init_code_hash));
    }
    Ok(ContractAudit {
        contract: contract.name.to_owned(),
        address: contract.address,
        origin: Origin::Reference,
        findings,
    })
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
        return audit_target(node, target).await;
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
    let registry = Contract::new(node.provider(), address).registry().await?;
    let target = Target::new(code, request.salt, registry.unwrap_or_default());
    let mut findings = Expected::from(&target).check(node, address).await?;
    findings.push(if target.address() == address {
        Finding::init_code_matches_address(target.init_code_hash())
    } else {
        let expected = request.init_code_hash.unwrap_or(target.init_code_hash());
        Provenance::find(node, address, request)
            .await?
            .check(Some(expected))
    });
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
        let detail = format!("{size} bytes, hash {hash}; not a known contract");
        findings.push(Finding::inconclusive("runtime code", detail, None));
        let indicators = proxy_indicators(node.provider(), address, &code).await?;
        findings.push(Finding::no_proxy(&indicators));
        findings.push(
            Provenance::find(node, address, request)
                .await?
                .check(request.init_code_hash),
        );
    }
    Ok(ContractAudit {
        contract: claimed.unwrap_or_else(|| "unnamed contract".to_owned()),
        address,
        origin: Origin::Unknown,
        findings,
    })
}
