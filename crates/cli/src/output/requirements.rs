//! What it takes to be let in, for people.

use atr_registry::Introspection;

/// What a predicate says it takes, a line each.
pub(crate) fn requirement_lines(introspection: &Introspection) -> Vec<String> {
    match introspection {
        Introspection::Known {
            logic,
            requirements,
        } => match requirements.as_slice() {
            [] => vec!["it names no requirements".to_owned()],
            [one] => vec![one.to_string()],
            several => {
                let mut lines = vec![format!("{logic}:")];
                lines.extend(several.iter().map(|one| format!("  {one}")));
                lines
            }
        },
        Introspection::OverLimit { what, found, limit } => vec![format!(
            "its list of requirements is not read: {what} {found}, at most {limit} are read (that denies nobody)"
        )],
        Introspection::Failed { reason } => {
            vec![format!(
                "it does not tell its requirements: {reason} (that denies nobody)"
            )]
        }
        Introspection::NotYet => vec!["there is no code at its address yet".to_owned()],
    }
}
