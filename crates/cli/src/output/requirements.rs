//! Access requirements as text.

use atr_registry::Introspection;

/// One line per requirement. A predicate that does not report its requirements can still grant access.
pub(crate) fn describe_requirements(introspection: &Introspection) -> Vec<String> {
    match introspection {
        Introspection::Known {
            logic,
            requirements,
        } => match requirements.as_slice() {
            [] => vec!["none reported".to_owned()],
            [requirement] => vec![requirement.to_string()],
            requirements => {
                let mut lines = vec![format!("{logic}:")];
                lines.extend(
                    requirements
                        .iter()
                        .map(|requirement| format!("  {requirement}")),
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
