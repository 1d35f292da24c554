//! Looking at a deployment somebody else may have made: is it what it seems to be, and if not, what differs?
//!
//! Runtime code alone proves little: a constructor can write storage and return the very same code, and the contract then
//! answers differently. What is pinned is the init code, which the address follows from (CREATE2) or the creating
//! transaction shows. Where neither does, the answer is that we could not find out.

use alloy_primitives::{Address, B256, keccak256};
use atr_bindings::{CONTRACTS, ContractCode};
use atr_registry::proxy_indicators;
use serde::Serialize;

use crate::{
    Error, Finding, Node, Suite, Target, Verdict,
    executor::expect_chain,
    inspect::{Expected, in_words},
    provenance::Provenance,
    reference::{self, Known},
};

/// What to look at.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Everything in a suite, where it should be.
    Suite(Suite),
    /// The public reference deployment.
    Reference,
    /// Whatever is at an address.
    Address(Address),
}

/// What to look at, and what to hold it against.
#[derive(Clone, Debug)]
pub struct AuditRequest {
    /// What to look at.
    pub subject: Subject,
    /// The salt ours are deployed under.
    pub salt: B256,
    /// The transaction that created a contract at an address, if it is known.
    pub transaction: Option<B256>,
    /// The init code the contract at an address must have been created with, if it is not one of ours.
    pub init_code_hash: Option<B256>,
}

/// What an audit found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The chain.
    pub chain_id: u64,
    /// The contracts that were looked at.
    pub contracts: Vec<ContractAudit>,
}

/// What an audit found at one address.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractAudit {
    /// What it is or claims to be.
    pub contract: String,
    /// Where.
    pub address: Address,
    /// Whose it is: `ours`, `reference` or `unknown`.
    pub origin: &'static str,
    /// What was looked at.
    pub findings: Vec<Finding>,
}

impl ContractAudit {
    /// The answer for this contract.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of_all(self.findings.iter().map(|finding| finding.verdict))
    }
}

impl Audit {
    /// The answer for all of them.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of_all(self.contracts.iter().map(ContractAudit::verdict))
    }

    /// Looks.
    ///
    /// # Errors
    ///
    /// When the node does not answer or is on another chain than the expected one.
    pub async fn make(
        node: &Node,
        expected: Option<u64>,
        request: &AuditRequest,
    ) -> Result<Self, Error> {
        let chain_id = expect_chain(node, expected).await?;
        let mut contracts = Vec::new();
        match &request.subject {
            Subject::Suite(suite) => {
                for target in suite.targets() {
                    contracts.push(of_ours(node, target).await?);
                }
            }
            Subject::Reference => {
                for known in reference::contracts() {
                    contracts.push(of_reference(node, &known, request).await?);
                }
            }
            Subject::Address(address) => {
                contracts.push(of_address(node, *address, request).await?);
            }
        }
        Ok(Self {
            chain_id,
            contracts,
        })
    }
}

async fn of_ours(node: &Node, target: &Target) -> Result<ContractAudit, Error> {
    let mut findings = Expected::from(target)
        .inspect(node, target.address())
        .await?;
    if findings.len() > 1 {
        findings.push(Finding::judged(
            "init code",
            true,
            format!(
                "{}, which the address follows from",
                target.init_code_hash()
            ),
        ));
    }
    Ok(ContractAudit {
        contract: target.name().to_owned(),
        address: target.address(),
        origin: "ours",
        findings,
    })
}

async fn of_reference(
    node: &Node,
    known: &Known,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let mut findings = Expected::from(known).inspect(node, known.address).await?;
    if findings.len() > 1 {
        let request = AuditRequest {
            salt: reference::REFERENCE_SALT,
            init_code_hash: request.init_code_hash.or(known.init_code_hash),
            ..request.clone()
        };
        let provenance = Provenance::find(node, known.address, &request).await?;
        findings.push(provenance.judge(request.init_code_hash));
    }
    Ok(ContractAudit {
        contract: known.name.to_owned(),
        address: known.address,
        origin: "reference",
        findings,
    })
}

async fn of_address(
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
        return of_ours(node, target).await;
    }
    let known = reference::contracts();
    if let Some(known) = known.iter().find(|known| known.address == address) {
        return of_reference(node, known, request).await;
    }
    let claimed = node.contract(address).name().await?;
    let code = claimed
        .as_ref()
        .and_then(|name| CONTRACTS.into_iter().find(|code| code.name() == name));
    match code {
        Some(code) => of_lookalike(node, address, code, request).await,
        None => of_stranger(node, address, claimed, request).await,
    }
}

/// Something that says it is one of our contracts, at an address that is not ours.
async fn of_lookalike(
    node: &Node,
    address: Address,
    code: &'static ContractCode,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let registry = node.contract(address).registry().await?;
    let target = Target::new(code, request.salt, registry.unwrap_or_default());
    let mut findings = Expected::from(&target).inspect(node, address).await?;
    findings.push(if target.address() == address {
        let hash = target.init_code_hash();
        Finding::judged(
            "init code",
            true,
            format!("{hash}, which the address follows from"),
        )
    } else {
        let expected = request.init_code_hash.unwrap_or(target.init_code_hash());
        Provenance::find(node, address, request)
            .await?
            .judge(Some(expected))
    });
    Ok(ContractAudit {
        contract: code.name().to_owned(),
        address,
        origin: if target.address() == address {
            "ours"
        } else {
            "unknown"
        },
        findings,
    })
}

/// Something we know nothing about.
async fn of_stranger(
    node: &Node,
    address: Address,
    claimed: Option<String>,
    request: &AuditRequest,
) -> Result<ContractAudit, Error> {
    let name = claimed.unwrap_or_else(|| "no name()".to_owned());
    let mut findings = vec![];
    let code = node.code(address).await?;
    if code.is_empty() {
        findings.push(Finding::judged(
            "code",
            false,
            "there is no code at this address",
        ));
    } else {
        findings.push(Finding::new(
            "runtime code",
            Verdict::Unknown,
            format!(
                "{} bytes, hash {}; no contract this build knows",
                code.len(),
                keccak256(&code)
            ),
        ));
        let signs = proxy_indicators(node.provider(), address, &code).await?;
        let detail = if signs.is_empty() {
            "all proxy slots are zero".to_owned()
        } else {
            in_words(&signs)
        };
        findings.push(Finding::judged("no proxy", signs.is_empty(), detail));
        findings.push(
            Provenance::find(node, address, request)
                .await?
                .judge(request.init_code_hash),
        );
    }
    Ok(ContractAudit {
        contract: name,
        address,
        origin: "unknown",
        findings,
    })
}
