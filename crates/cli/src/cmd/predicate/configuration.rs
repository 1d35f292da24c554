//! Predicate configuration as text.

use alloy_primitives::Address;
use atr_registry::{Configuration, ConfigurationState};

use crate::output::predicate_name;

/// Describes a configuration. A composition is an expression with the short names of the registry's predicates.
pub(crate) fn describe_configuration(
    configuration: &Configuration,
    registry: Address,
) -> Vec<String> {
    match configuration {
        Configuration::Composite(composite) if !composite.clauses.is_empty() => {
            vec![composite.expression(|predicate| predicate_name(registry, predicate))]
        }
        configuration => configuration.describe(),
    }
}

pub(crate) fn describe_state(state: &ConfigurationState, registry: Address) -> Vec<String> {
    match state {
        ConfigurationState::Configured(configuration) => {
            describe_configuration(configuration, registry)
        }
        ConfigurationState::NotConfigured => {
            vec!["not configured for this tool: access is unknown".to_owned()]
        }
        _ => vec!["unknown predicate".to_owned()],
    }
}
