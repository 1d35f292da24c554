//! Access requirements in words.

use alloy_primitives::{Address, U256};
use atr_auth::{Network, Token, format_units};

use crate::model::Requirement;

/// A requirement and those within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequirementLine {
    /// Nesting, from 0.
    pub(super) depth: usize,
    pub(super) text: String,
    /// Text of the contract.
    pub(super) label: Option<String>,
}

/// All requirements, nested ones after their parent.
pub(super) fn lines(requirements: &[Requirement], chain: &str) -> Vec<RequirementLine> {
    let mut lines = Vec::new();
    add(&mut lines, requirements, chain, 0);
    lines
}

fn add(lines: &mut Vec<RequirementLine>, requirements: &[Requirement], chain: &str, depth: usize) {
    for requirement in requirements.iter().take(50) {
        lines.push(RequirementLine {
            depth,
            text: sentence(requirement, chain),
            label: requirement.label.clone(),
        });
        add(lines, &requirement.requirements, chain, depth + 1);
    }
}

fn sentence(requirement: &Requirement, chain: &str) -> String {
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
        "erc20" => balance(requirement, chain),
        "nested" if requirement.logic.as_deref() == Some("OR") => "Meet one of these:".to_owned(),
        "nested" => "Meet all of these:".to_owned(),
        "negated" => "Do not meet this:".to_owned(),
        "other" => format!("Another requirement of kind {}", requirement.kind),
        name => format!("A requirement of type {name}"),
    }
}

/// The balance in units of the token if it is USDC of the chain, in base units otherwise.
fn balance(requirement: &Requirement, chain: &str) -> String {
    let amount = requirement.min_balance.as_deref();
    let token = requirement.token_address.as_deref();
    let usdc = chain.parse().ok().and_then(Network::from_chain_id);
    let usdc = usdc.and_then(Token::usdc).filter(|usdc| {
        token.and_then(|token| token.parse::<Address>().ok()) == Some(usdc.address())
    });
    let units = amount.and_then(|amount| amount.parse::<U256>().ok());
    match (usdc, units) {
        (Some(usdc), Some(units)) => {
            let amount = format_units(units, usdc.decimals());
            format!("Hold at least {amount} {}", usdc.symbol())
        }
        _ => format!(
            "Hold at least {} base units of the token {}",
            amount.unwrap_or("an unknown number of"),
            token.unwrap_or("at an unknown address"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances_of_usdc_are_in_usdc() {
        let requirement = |token: &str| Requirement {
            name: "erc20".to_owned(),
            token_address: Some(token.to_owned()),
            min_balance: Some("100000000".to_owned()),
            ..Requirement::default()
        };
        let usdc = requirement("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
        let text = |requirement: &Requirement, chain| {
            lines(std::slice::from_ref(requirement), chain)[0]
                .text
                .clone()
        };
        assert_eq!(text(&usdc, "8453"), "Hold at least 100 USDC");
        // Another token has the same address on another chain.
        assert!(
            text(&usdc, "1").starts_with("Hold at least 100000000 base units of the token 0x8335")
        );
    }
}
