//! Predicate configuration as text.

use alloy_primitives::U256;
use atr_registry::{Configuration, predicates::Term};

pub(crate) fn describe_configuration(configuration: &Configuration) -> Vec<String> {
    match configuration {
        Configuration::Erc721 { collections } => {
            let lines = collections
                .iter()
                .map(|collection| format!("token of {collection}"));
            or_empty(lines.collect())
        }
        Configuration::Erc1155 { tokens } => {
            let lines = tokens
                .iter()
                .map(|tokens| describe_tokens(&tokens.collection, &tokens.token_ids));
            or_empty(lines.collect())
        }
        Configuration::Subscription {
            collection,
            min_tier,
        } => {
            vec![format!(
                "active subscription of {collection}, tier {min_tier} or higher"
            )]
        }
        Configuration::Erc20 { token, min_balance } => {
            vec![format!(
                "balance of at least {min_balance} (smallest unit) of {token}"
            )]
        }
        Configuration::Trait(gate) => {
            let mut lines = vec![format!(
                "token of {} with trait {} of {} equal to",
                gate.collection, gate.trait_key, gate.traits_contract
            )];
            lines.extend(gate.allowed_values.iter().map(|value| format!("  {value}")));
            lines
        }
        Configuration::Allowlist { root } => {
            vec![format!("account in the allowlist with Merkle root {root}")]
        }
        Configuration::Composite { logic, terms } => {
            let mut lines = vec![format!("{logic}:")];
            lines.extend(
                terms
                    .iter()
                    .map(|term| format!("  {}", describe_term(term))),
            );
            lines
        }
        Configuration::NotConfigured => {
            vec!["not configured for this tool: access is unknown".to_owned()]
        }
        _ => vec!["unknown predicate".to_owned()],
    }
}

fn describe_tokens(collection: &alloy_primitives::Address, ids: &[U256]) -> String {
    let noun = if ids.len() == 1 {
        "token"
    } else {
        "any token of"
    };
    let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
    format!("{noun} {} of {collection}", ids.join(", "))
}

fn describe_term(term: &Term) -> String {
    let not = if term.negate { "not " } else { "" };
    format!("{not}{}", term.predicate)
}

fn or_empty(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() {
        return vec!["none: the list is empty, access is denied".to_owned()];
    }
    lines
}
