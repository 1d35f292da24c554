//! The predicates that a composite combines.

use std::collections::BTreeSet;

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;

use crate::{Configuration, ConfigurationState, Error, PredicateInfo, Registry};

/// Twice what one composite of ours can have.
const MAX_PREDICATES: usize = 32;

impl Registry {
    /// The predicates that a composite combines for a tool, those of nested composites included; the first 32. Empty for other
    /// predicates.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn combined_predicates(
        &self,
        info: &PredicateInfo,
        tool_id: U256,
    ) -> Result<BTreeSet<Address>, Error> {
        let mut combined = BTreeSet::new();
        let mut composites = Vec::new();
        if info.kind() == Some(PredicateKind::Composite) {
            composites.push(info.address);
        }
        while let Some(composite) = composites.pop() {
            let state = self
                .configuration(composite, PredicateKind::Composite, tool_id)
                .await?;
            let ConfigurationState::Configured(Configuration::Composite(found)) = state else {
                continue;
            };
            for predicate in found.predicates() {
                let is_new = predicate != info.address
                    && combined.len() < MAX_PREDICATES
                    && combined.insert(predicate);
                if is_new
                    && self.predicate_info(predicate).await?.kind()
                        == Some(PredicateKind::Composite)
                {
                    composites.push(predicate);
                }
            }
        }
        Ok(combined)
    }
}
