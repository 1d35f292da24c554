//! Predicate configuration as text.

use atr_registry::ConfigurationState;

pub(crate) fn describe_configuration(state: &ConfigurationState) -> Vec<String> {
    match state {
        ConfigurationState::Configured(configuration) => configuration.describe(),
        ConfigurationState::NotConfigured => {
            vec!["not configured for this tool: access is unknown".to_owned()]
        }
        _ => vec!["unknown predicate".to_owned()],
    }
}
