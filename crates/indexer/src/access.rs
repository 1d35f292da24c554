//! Evaluates predicates.

use alloy_primitives::Address;
use atr_registry::{
    InterfaceSupport, Introspection, Logic, Registry, Requirement, RequirementKind,
};
use atr_store::index::{AccessResult, AccessType, Job, PredicateFacts, PredicateTerm, ToolAccess};

use crate::{Error, Indexer};

/// Evaluates the predicate of a job and stores the result.
pub(crate) async fn run(indexer: &Indexer, registry: &Registry, job: &Job) -> Result<(), Error> {
    let Some(predicate) = job.predicate else {
        return Ok(());
    };
    let result = evaluate(indexer, registry, job, predicate).await?;
    if indexer.store.store_access(&result).await? {
        indexer.terms_changed();
    }
    Ok(())
}

async fn evaluate(
    indexer: &Indexer,
    registry: &Registry,
    job: &Job,
    predicate: Address,
) -> Result<AccessResult, Error> {
    let (info, introspection) = tokio::try_join!(
        registry.predicate_info(predicate),
        registry.requirements(predicate, job.key.id),
    )?;
    let upgraded_at = async |predicate| {
        let key = job.key.registry;
        indexer.store.upgraded_at(key, predicate).await
    };
    let mut terms = Vec::new();
    for predicate in registry.combined_predicates(&info, job.key.id).await? {
        terms.push(PredicateTerm {
            predicate,
            upgraded_at: upgraded_at(predicate).await?,
        });
    }
    let upgraded_at = upgraded_at(predicate).await?;
    let checked_at = indexer.now();
    let advertises = match info.interface_support {
        _ if !info.has_code => None,
        InterfaceSupport::Declared => Some(true),
        InterfaceSupport::NotDeclared | InterfaceSupport::NoErc165 => Some(false),
    };
    Ok(AccessResult {
        key: job.key,
        access: ToolAccess {
            predicate,
            access_type: access_type(&introspection),
            requirements: serde_json::to_string(&introspection).unwrap_or_default(),
            always_denies: always_denies(&introspection),
            checked_at,
        },
        facts: PredicateFacts {
            has_code: info.has_code,
            is_proxy: info.is_proxy(),
            proxy_indicators: serde_json::to_string(&info.proxy_indicators).unwrap_or_default(),
            name: info.name,
            advertises_interface: advertises,
            upgraded_at,
            checked_at,
        },
        terms,
    })
}

/// The kind that all requirements have.
fn access_type(introspection: &Introspection) -> AccessType {
    let Introspection::Known { requirements, .. } = introspection else {
        return AccessType::Gated;
    };
    let kind = |requirement: &Requirement| match requirement.decoded {
        RequirementKind::Erc721(_) | RequirementKind::Erc1155(_) => AccessType::NftGated,
        RequirementKind::Erc20(_) => AccessType::TokenGated,
        RequirementKind::Subscription(_) => AccessType::Subscription,
        _ => AccessType::Gated,
    };
    let mut kinds = requirements.iter().map(kind);
    let first = kinds.next().unwrap_or(AccessType::Gated);
    if kinds.all(|kind| kind == first) {
        first
    } else {
        AccessType::Gated
    }
}

/// Whether a requirement that no account can meet is sufficient to deny (K-08). Only what the predicate says: silence proves nothing
/// (T-54).
fn always_denies(introspection: &Introspection) -> bool {
    let Introspection::Known {
        logic,
        requirements,
    } = introspection
    else {
        return false;
    };
    denies(*logic, requirements)
}

fn denies(logic: Logic, requirements: &[Requirement]) -> bool {
    let cannot_be_met = |requirement: &Requirement| match &requirement.decoded {
        RequirementKind::AlwaysDeny(_) => true,
        RequirementKind::Nested {
            logic,
            requirements,
        } => denies(*logic, requirements),
        _ => false,
    };
    match logic {
        Logic::All => requirements.iter().any(cannot_be_met),
        Logic::Any => !requirements.is_empty() && requirements.iter().all(cannot_be_met),
    }
}
