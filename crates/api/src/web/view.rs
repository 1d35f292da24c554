//! What several pages show.

use alloy_primitives::{U256, hex, keccak256};
use atr_auth::{Network, format_units};
use atr_manifest::AttestationEvidence;

use super::markdown;
use crate::model::{PricingRecipient, SearchResult, Trust, VerificationStatus};

/// The mark of a tool: one of three, never more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) class: &'static str,
    pub(super) words: &'static str,
}

impl Mark {
    pub(super) const fn new(status: VerificationStatus) -> Self {
        match status {
            VerificationStatus::Verified => Self {
                class: "verified",
                words: "Verified",
            },
            VerificationStatus::Failed => Self {
                class: "failed",
                words: "Check failed",
            },
            VerificationStatus::Unknown => Self {
                class: "unknown",
                words: "Not checked",
            },
        }
    }
}

/// A tool in a list.
pub(super) struct Card {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) tags: Vec<String>,
    pub(super) domain: String,
    pub(super) chain: String,
    pub(super) price: String,
    pub(super) access: &'static str,
    pub(super) mark: Mark,
    pub(super) hue: u8,
    pub(super) initial: String,
    pub(super) registered: String,
    pub(super) usage: u64,
    pub(super) risks: usize,
}

impl Card {
    pub(super) fn new(result: &SearchResult) -> Self {
        let prices = result.pricing_recipients.as_deref().unwrap_or_default();
        let name = name(&result.name, &result.tool_id);
        Self {
            path: path(
                &result.registry_chain,
                &result.registry_addr,
                &result.tool_id,
            ),
            initial: initial(&name),
            hue: hue(&result.trust.tool_ref),
            name,
            summary: crate::text::line(markdown::plain(&result.description).trim(), 220),
            tags: result.tags.iter().take(4).cloned().collect(),
            domain: result.endpoint_domain.clone(),
            chain: chain(&result.registry_chain),
            price: price(prices),
            access: access(&result.trust.access_type),
            mark: Mark::new(result.trust.verification.status),
            registered: date(&result.created_at),
            usage: result.trust.usage_count,
            risks: result.trust.risks.len(),
        }
    }
}

/// The path of a tool's page. All parts are of our own making: digits and an address.
pub(super) fn path(chain: &str, registry: &str, id: &str) -> String {
    format!("/tools/{chain}/{registry}/{id}")
}

pub(super) fn name(name: &str, id: &str) -> String {
    match name.trim() {
        "" => format!("Tool {id}"),
        name => name.to_owned(),
    }
}

/// One of twelve colors of the placeholder.
pub(super) fn hue(tool_ref: &str) -> u8 {
    keccak256(tool_ref)[0] % 12
}

pub(super) fn initial(name: &str) -> String {
    let first = name.chars().find(|character| character.is_alphanumeric());
    first.map_or_else(|| "?".to_owned(), |first| first.to_uppercase().to_string())
}

/// The lowest price in USDC in words.
pub(super) fn price(prices: &[PricingRecipient]) -> String {
    let usdc = prices
        .iter()
        .filter(|price| price.amount_per_call_usd.is_some());
    let lowest = usdc
        .filter_map(|price| price.amount_per_call.parse::<U256>().ok())
        .min();
    match (prices.is_empty(), lowest) {
        (true, _) => "Free".to_owned(),
        (false, Some(amount)) => format!("{} USDC", format_units(amount, 6)),
        (false, None) => "Paid".to_owned(),
    }
}

pub(super) fn access(access_type: &str) -> &'static str {
    match access_type {
        "open" => "Open",
        "nft_gated" => "NFT holders",
        "token_gated" => "Token holders",
        "subscription" => "Subscribers",
        _ => "Gated",
    }
}

/// A name for people; the id decides.
pub(super) fn chain(id: &str) -> String {
    let known = match id {
        "1" => Some("Ethereum"),
        "10" => Some("OP Mainnet"),
        "31337" => Some("Local chain"),
        _ => None,
    };
    let network = id.parse().ok().and_then(Network::from_chain_id);
    let name = known.or_else(|| network.and_then(Network::v1_name));
    match name {
        Some(name) => {
            let mut letters = name.replace('-', " ");
            if let Some(first) = letters.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            letters
        }
        None => format!("Chain {id}"),
    }
}

/// The day of a timestamp.
pub(super) fn date(timestamp: &str) -> String {
    timestamp.split('T').next().unwrap_or_default().to_owned()
}

/// Time of a timestamp without its seconds.
pub(super) fn minute(timestamp: &str) -> String {
    let short = timestamp.get(..16).unwrap_or(timestamp);
    format!("{} UTC", short.replace('T', " "))
}

/// A verifiability tier as it is shown: what the publisher claims must not look like what was checked (K-14).
pub(super) struct Tier {
    pub(super) class: &'static str,
    pub(super) words: String,
}

impl Tier {
    pub(super) fn new(trust: &Trust, evidence: AttestationEvidence) -> Option<Self> {
        let tier = trust
            .claimed_tier
            .as_ref()
            .or(trust.effective_tier.as_ref())?;
        let supported = match (&trust.claimed_tier, &trust.effective_tier) {
            (Some(_), Some(effective)) => format!(" Its details support only “{effective}”."),
            _ => String::new(),
        };
        Some(match evidence {
            AttestationEvidence::Verified => Self {
                class: "attested",
                words: format!("Attestation verified: {tier}."),
            },
            AttestationEvidence::NotChecked => Self {
                class: "claim",
                words: format!("“{tier}”, claimed by the publisher, not verified.{supported}"),
            },
        })
    }
}

/// For `?v=` of the assets: they are cached.
pub(super) fn assets_version() -> &'static str {
    use std::sync::LazyLock;
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let files = [
            include_str!("../../assets/style.css"),
            include_str!("../../assets/explorer.js"),
        ];
        hex::encode(&keccak256(files.concat())[..4])
    });
    &VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_does_not_look_like_a_verified_attestation() {
        // K-14
        let trust: Trust = serde_json::from_value(serde_json::json!({
            "tool_ref": "eip155:1/erc8257:0x1/1", "verified": true, "verification": { "status": "verified" },
            "access_type": "open", "retired": false, "duplicates": 0, "duplicates_of": [], "risks": [], "usage_count": 0,
            "claimed_tier": "verifiable", "effective_tier": "self-attested",
        }))
        .unwrap();
        let claim = Tier::new(&trust, AttestationEvidence::NotChecked).unwrap();
        let attested = Tier::new(&trust, AttestationEvidence::Verified).unwrap();
        assert_ne!(claim.class, attested.class);
        assert!(
            claim
                .words
                .contains("claimed by the publisher, not verified")
        );
        assert!(claim.words.contains("support only “self-attested”"));
        assert!(attested.words.starts_with("Attestation verified"));
        assert!(!attested.words.contains("claimed"));
    }
}
