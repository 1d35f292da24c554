//! Predicate configuration as text.

use std::collections::BTreeSet;

use atr_registry::{Configuration, ConfigurationState, Registry};

use crate::output::{Tokens, predicate_name};

/// Describes a configuration. A composition is an expression with the short names of the registry's predicates.
pub(crate) async fn describe_configuration(
    configuration: &Configuration,
    registry: &Registry,
) -> Vec<String> {
    match configuration {
        Configuration::Composite(composite) if !composite.clauses.is_empty() => {
            vec![composite.expression(|predicate| predicate_name(registry.address(), predicate))]
        }
        Configuration::Erc20(balance) => {
            let tokens = Tokens::fetch(registry, BTreeSet::from([balance.token])).await;
            let amount = tokens.amount_of(balance.token, balance.min_balance, Some("ERC-20"));
            vec![format!("hold at least {amount}")]
        }
        configuration => configuration.describe(),
    }
}

pub(crate) async fn describe_state(state: &ConfigurationState, registry: &Registry) -> Vec<String> {
    match state {
        ConfigurationState::Configured(configuration) => {
            describe_configuration(configuration, registry).await
        }
        ConfigurationState::NotConfigured => {
            vec!["not configured for this tool: access is unknown".to_owned()]
        }
        _ => vec!["unknown predicate".to_owned()],
    }
}
