//! Access requirements as text.

use atr_registry::Introspection;

use super::Tokens;

/// One line per requirement. A predicate that does not report its requirements can still grant access.
pub(super) fn describe_requirements(introspection: &Introspection, tokens: &Tokens) -> Vec<String> {
    match introspection {
        Introspection::Known {
            logic,
            requirements,
        } => match requirements.as_slice() {
            [] => vec!["none reported".to_owned()],
            [requirement] => vec![tokens.requirement(requirement)],
            requirements => {
                let mut lines = vec![format!("{logic}:")];
                lines.extend(
                    requirements
                        .iter()
                        .map(|requirement| format!("- {}", tokens.requirement(requirement))),
                );
                lines
            }
        },
        Introspection::OverLimit { limit, found, max } => {
            vec![format!(
                "unknown: over the limit ({limit}: {found}, limit {max})"
            )]
        }
        Introspection::Failed { reason } => vec![format!("unknown: {reason}")],
        Introspection::NoCode => vec!["unknown: no code at the predicate's address".to_owned()],
    }
}
