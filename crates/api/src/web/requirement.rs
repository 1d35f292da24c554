//! Access requirements in words.

use crate::model::Requirement;

/// A requirement and those within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// Nesting, from 0.
    pub(super) depth: usize,
    pub(super) text: String,
    /// Text of the contract.
    pub(super) label: Option<String>,
}

/// All requirements, nested ones after their parent.
pub(super) fn words(requirements: &[Requirement]) -> Vec<Words> {
    let mut lines = Vec::new();
    add(&mut lines, requirements, 0);
    lines
}

fn add(lines: &mut Vec<Words>, requirements: &[Requirement], depth: usize) {
    for requirement in requirements.iter().take(50) {
        lines.push(Words {
            depth,
            text: sentence(requirement),
            label: requirement.label.clone(),
        });
        add(lines, &requirement.requirements, depth + 1);
    }
}

fn sentence(requirement: &Requirement) -> String {
    let collection = requirement.collection_address.as_deref();
    let collection = collection.unwrap_or("an unknown collection");
    match requirement.name.as_str() {
        "erc721" => format!("Hold an NFT of {collection}"),
        "erc1155" => match &requirement.token_id {
            Some(id) => format!("Hold token {id} of {collection}"),
            None => format!("Hold a token of {collection}"),
        },
        "subscription" => match requirement.min_tier {
            Some(tier) if tier > 0 => {
                format!("Have a subscription of {collection}, tier {tier} or higher")
            }
            _ => format!("Have a subscription of {collection}"),
        },
        "erc20" => format!(
            "Hold at least {} (smallest unit) of the token {}",
            requirement
                .min_balance
                .as_deref()
                .unwrap_or("an unknown amount"),
            requirement
                .token_address
                .as_deref()
                .unwrap_or("at an unknown address"),
        ),
        "nested" if requirement.logic.as_deref() == Some("OR") => "Meet one of these:".to_owned(),
        "nested" => "Meet all of these:".to_owned(),
        "negated" => "Do not meet this:".to_owned(),
        "other" => format!("Another requirement of kind {}", requirement.kind),
        name => format!("A requirement of type {name}"),
    }
}
