//! Whether a predicate decides about access to a tool.

use std::collections::BTreeSet;

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;
use atr_registry::{Configuration, ConfigurationState, Error, Registry};

use crate::output::predicate_kind;

/// Composites that are read: a composite has at most eight terms, and each can be a composite.
const MAX_COMPOSITES: usize = 16;

/// What a predicate means for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It is the access predicate.
    AccessPredicate,
    /// It is a term of the access predicate.
    Term { access_predicate: Address },
    /// The access predicate does not use it.
    None { access_predicate: Option<Address> },
    /// The access predicate is not a known contract, and may call it.
    Unknown { access_predicate: Address },
}

impl Effect {
    /// Reads the terms of the tool's access predicate.
    pub(crate) async fn find(
        registry: &Registry,
        tool_id: U256,
        access_predicate: Option<Address>,
        predicate: Address,
    ) -> Result<Self, Error> {
        let Some(current) = access_predicate else {
            return Ok(Self::None { access_predicate });
        };
        if current == predicate {
            return Ok(Self::AccessPredicate);
        }
        let unknown = Self::Unknown {
            access_predicate: current,
        };
        let mut result = Self::None { access_predicate };
        let mut pending = vec![current];
        let mut seen = BTreeSet::new();
        while let Some(address) = pending.pop() {
            if !seen.insert(address) {
                continue;
            }
            if seen.len() > MAX_COMPOSITES {
                return Ok(unknown);
            }
            match kind_of(registry, address).await? {
                Some(PredicateKind::Composite) => {}
                Some(_) => continue,
                None => {
                    result = unknown;
                    continue;
                }
            }
            let kind = PredicateKind::Composite;
            match registry.configuration(address, kind, tool_id).await? {
                ConfigurationState::Configured(Configuration::Composite(composite)) => {
                    let terms = composite.predicates();
                    if terms.contains(&predicate) {
                        return Ok(Self::Term {
                            access_predicate: current,
                        });
                    }
                    pending.extend(terms);
                }
                ConfigurationState::NotConfigured => {}
                _ => result = unknown,
            }
        }
        Ok(result)
    }

    /// Warning before the predicate is configured.
    pub(crate) fn change_warning(self) -> Option<String> {
        match self {
            Self::AccessPredicate => None,
            Self::Term { access_predicate } => Some(format!(
                "this predicate is a term of the tool's access predicate ({access_predicate}): the change takes effect immediately"
            )),
            Self::None { .. } => self.inactive_warning(),
            Self::Unknown { access_predicate } => Some(format!(
                "the tool's access predicate ({access_predicate}) is not a known contract and may call this predicate: the change may take effect \
                 immediately"
            )),
        }
    }

    /// Warning about a predicate that the access predicate does not use.
    pub(crate) fn inactive_warning(self) -> Option<String> {
        let Self::None { access_predicate } = self else {
            return None;
        };
        let current = access_predicate.map_or_else(
            || "the tool has none".to_owned(),
            |address| format!("current: {address}"),
        );
        Some(format!(
            "this predicate is not the tool's access predicate ({current}); it has no effect until `atr tool set-predicate` selects it or a \
             composite contains it"
        ))
    }
}

/// The kind of a predicate of the registry, or of another contract by its name.
async fn kind_of(registry: &Registry, predicate: Address) -> Result<Option<PredicateKind>, Error> {
    match predicate_kind(registry.address(), predicate) {
        Some(kind) => Ok(Some(kind)),
        None => Ok(registry.predicate_info(predicate).await?.kind()),
    }
}
