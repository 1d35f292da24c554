//! A predicate's configuration in words.

use alloy_primitives::U256;
use atr_registry::{Configuration, predicates::Term};

/// What a predicate is configured to, a line each.
pub(crate) fn configuration_lines(configuration: &Configuration) -> Vec<String> {
    match configuration {
        Configuration::Erc721 { collections } => {
            let lines = collections
                .iter()
                .map(|collection| format!("holders of {collection}"));
            or_nobody(lines.collect())
        }
        Configuration::Erc1155 { tokens } => {
            let lines = tokens
                .iter()
                .map(|one| tokens_line(&one.collection, &one.token_ids));
            or_nobody(lines.collect())
        }
        Configuration::Subscription {
            collection,
            min_tier,
        } => {
            vec![format!(
                "running subscriptions with {collection}, tier {min_tier} or higher"
            )]
        }
        Configuration::Erc20 { token, min_balance } => {
            vec![format!(
                "balances of at least {min_balance} of the smallest unit of {token}"
            )]
        }
        Configuration::Trait(gate) => {
            let mut lines = vec![format!(
                "holders of a token of {} whose trait {} at {} is",
                gate.collection, gate.trait_key, gate.traits_contract
            )];
            lines.extend(gate.allowed_values.iter().map(|value| format!("  {value}")));
            lines
        }
        Configuration::Allowlist { root } => {
            vec![format!("accounts on the list with Merkle root {root}")]
        }
        Configuration::Composite { logic, terms } => {
            let mut lines = vec![format!("{logic}:")];
            lines.extend(terms.iter().map(|term| format!("  {}", term_line(term))));
            lines
        }
        Configuration::NotConfigured => {
            vec!["not configured for this tool: nobody can tell who is let in".to_owned()]
        }
        _ => vec!["cannot be read: not a make we know".to_owned()],
    }
}

/// The tokens of a collection.
pub(crate) fn tokens_line(collection: &alloy_primitives::Address, ids: &[U256]) -> String {
    let noun = if ids.len() == 1 {
        "token"
    } else {
        "any of tokens"
    };
    let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
    format!("holders of {noun} {} of {collection}", ids.join(", "))
}

/// A predicate, or its opposite.
pub(crate) fn term_line(term: &Term) -> String {
    let not = if term.negate { "not " } else { "" };
    format!("{not}{}", term.predicate)
}

fn or_nobody(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() {
        return vec!["nobody: the list is empty".to_owned()];
    }
    lines
}
