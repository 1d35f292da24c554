//! Why the result of an access check is unknown.

use alloy_primitives::{Address, Bytes, U256};
use atr_bindings::PredicateKind;
use atr_registry::{Error, PredicateInfo, Registry};

use crate::output::predicate_title;

/// The reason of the predicate. If a composite names a term, the reason of the term. `None` if `hasAccess` does not fail when it is
/// called directly, with more gas than the registry forwards.
pub(super) async fn find(
    registry: &Registry,
    predicate: &PredicateInfo,
    tool_id: U256,
    account: Address,
    data: &Bytes,
) -> Result<Option<String>, Error> {
    let failure = registry.access_failure(predicate.address, tool_id, account, data);
    let Some((reason, target)) = failure.await? else {
        return Ok(None);
    };
    let term = target.filter(|_| predicate.kind() == Some(PredicateKind::Composite));
    let Some(term) = term else {
        return Ok(Some(match reason.error {
            Some("NotConfigured") => reason.message,
            _ => format!("the predicate failed: {reason}"),
        }));
    };
    let title = predicate_title(registry.address(), term);
    if registry.is_not_configured(term, tool_id).await? {
        return Ok(Some(format!(
            "term {title} is not configured for tool {tool_id}"
        )));
    }
    // A negated term receives other data, but a predicate that can be negated ignores it.
    let failure = registry.access_failure(term, tool_id, account, data);
    Ok(Some(match failure.await? {
        Some((reason, _)) => format!("term {title} failed: {reason}"),
        None => format!("term {title} failed within its gas"),
    }))
}
