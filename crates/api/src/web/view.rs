//! What several pages show.

use alloy_primitives::{U256, hex, keccak256};
use atr_auth::format_units;
use atr_manifest::AttestationEvidence;
use atr_rpc::ChainProfile;
use url::form_urlencoded;

use super::markdown;
use crate::model::{
    PricingRecipient, SearchResult, Trust, VerificationReport, VerificationStatus,
    VerificationSummary,
};

/// The mark of a tool: one of three, never more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) class: &'static str,
    pub(super) words: &'static str,
}

impl Mark {
    pub(super) fn of(verification: &VerificationSummary) -> Self {
        let failing_check = verification.failing_check.as_deref();
        Self::new(
            verification.status,
            failing_check,
            verification.checked_at.is_some(),
        )
    }

    pub(super) fn of_report(report: &VerificationReport) -> Self {
        let failing_check = report.failing_check.as_deref();
        Self::new(report.status, failing_check, report.checked_at.is_some())
    }

    fn new(status: VerificationStatus, failing_check: Option<&str>, is_checked: bool) -> Self {
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
                words: match failing_check {
                    _ if !is_checked => "Not checked",
                    Some("fetch") => "Not reachable",
                    _ => "Unknown",
                },
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
    pub(super) fn new(result: &SearchResult, now: u64) -> Self {
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
            price: price(prices, result.price_known, &result.registry_chain).text,
            access: access(&result.trust.access_type),
            mark: Mark::of(&result.trust.verification),
            registered: ago(&result.created_at, now),
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

/// What a call costs, in brief.
pub(super) struct PriceSummary {
    pub(super) text: String,
    /// The highest amount of USDC in `text`, for commands.
    pub(super) max_amount: Option<String>,
}

/// The price on the tool's own chain, or the range of prices on other chains.
pub(super) fn price(prices: &[PricingRecipient], is_known: bool, chain: &str) -> PriceSummary {
    let usdc = |price: &PricingRecipient| {
        let amount = price.amount_per_call.parse::<U256>().ok();
        amount.filter(|_| price.amount_per_call_usd.is_some())
    };
    let mut on_chain = prices.iter().filter(|price| price.payment_chain == chain);
    let shown = |text: String, amount: U256| PriceSummary {
        text,
        max_amount: Some(format_units(amount, 6)),
    };
    let without_amount = |text: &str| PriceSummary {
        text: text.to_owned(),
        max_amount: None,
    };
    if !is_known {
        return without_amount("Price not known");
    }
    if prices.is_empty() {
        return without_amount("Free");
    }
    if let Some(amount) = on_chain.find_map(usdc) {
        let others = match prices.len() - 1 {
            0 => String::new(),
            1 => " or 1 other price".to_owned(),
            others => format!(" or {others} other prices"),
        };
        let text = format!("{} USDC{others}", format_units(amount, 6));
        return shown(text, amount);
    }
    let amounts: Vec<_> = prices.iter().filter_map(usdc).collect();
    match (amounts.iter().min(), amounts.iter().max()) {
        (Some(min), Some(max)) if amounts.len() == prices.len() => {
            let mut text = format!("{} USDC", format_units(*max, 6));
            if min < max {
                text = format!("{}–{text}", format_units(*min, 6));
            }
            shown(text, *max)
        }
        _ => without_amount("Paid"),
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
    let Some(profile) = profile(id) else {
        return format!("Chain {id}");
    };
    let words = profile
        .name
        .split('-')
        .map(|word| match word.split_at_checked(1) {
            Some((first, rest)) => format!("{}{rest}", first.to_uppercase()),
            None => word.to_owned(),
        });
    words.collect::<Vec<_>>().join(" ")
}

fn profile(id: &str) -> Option<&'static ChainProfile> {
    ChainProfile::by_id(id.parse().ok()?)
}

/// The page of an address (`address`) or transaction (`tx`) in the chain's block explorer.
pub(super) fn block_explorer(chain: &str, kind: &str, value: &str) -> Option<String> {
    let base = profile(chain)?.explorer?;
    Some(format!("{}/{kind}/{value}", base.trim_end_matches('/')))
}

/// The first and last characters of an address or hash.
pub(super) fn short(value: &str) -> String {
    match (value.get(..6), value.get(value.len().saturating_sub(4)..)) {
        (Some(start), Some(end)) if value.len() > 14 => format!("{start}…{end}"),
        _ => value.to_owned(),
    }
}

/// Text in the query of a URL.
pub(super) fn query_value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The day of a timestamp.
pub(super) fn date(timestamp: &str) -> String {
    timestamp.split('T').next().unwrap_or_default().to_owned()
}

/// How long ago a time of the last month was; the day of an older one.
fn ago(timestamp: &str, now: u64) -> String {
    let seconds = crate::text::parse_time(timestamp).and_then(|time| now.checked_sub(time));
    match seconds {
        Some(seconds @ 0..3_600) => format!("{} min ago", seconds / 60),
        Some(seconds @ 3_600..86_400) => format!("{} h ago", seconds / 3_600),
        Some(seconds @ 86_400..2_592_000) => format!("{} d ago", seconds / 86_400),
        _ => date(timestamp),
    }
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

    #[test]
    fn recent_times_are_relative() {
        let time = "2026-11-18T10:00:00Z";
        let now = crate::text::parse_time(time).unwrap();
        for (after, text) in [
            (0, "0 min ago"),
            (3_599, "59 min ago"),
            (3_600, "1 h ago"),
            (86_400, "1 d ago"),
            (2_591_999, "29 d ago"),
            (2_592_000, "2026-11-18"),
        ] {
            assert_eq!(ago(time, now + after), text);
        }
        assert_eq!(ago(time, now - 1), "2026-11-18");
    }

    #[test]
    fn prices_are_not_understated() {
        let price_on = |chain: &str, amount: &str, is_usdc: bool| PricingRecipient {
            recipient: "0x1".to_owned(),
            payment_chain: chain.to_owned(),
            asset: "0x2".to_owned(),
            asset_id: "eip155:1/erc20:0x2".to_owned(),
            protocol: "x402".to_owned(),
            amount_per_call: amount.to_owned(),
            created_at: String::new(),
            asset_symbol: None,
            asset_decimals: None,
            amount_per_call_usd: is_usdc.then(String::new),
        };
        let (own, cheap, other) = (
            price_on("8453", "500000", true),
            price_on("10", "1", true),
            price_on("8453", "1", false),
        );
        let of = |prices: &[&PricingRecipient]| {
            let prices: Vec<_> = prices.iter().map(|price| (*price).clone()).collect();
            let price = price(&prices, true, "8453");
            (price.text, price.max_amount)
        };
        let text = |text: &str, amount: Option<&str>| (text.to_owned(), amount.map(str::to_owned));
        assert_eq!(of(&[]), text("Free", None));
        assert_eq!(of(&[&own]), text("0.5 USDC", Some("0.5")));
        assert_eq!(
            of(&[&cheap, &own]),
            text("0.5 USDC or 1 other price", Some("0.5"))
        );
        let range = of(&[&cheap, &price_on("1", "20000", true)]);
        assert_eq!(range, text("0.000001–0.02 USDC", Some("0.02")));
        assert_eq!(of(&[&cheap, &other]), text("Paid", None));
        assert_eq!(price(&[], false, "8453").text, "Price not known");
        assert_eq!(price(&[own], false, "8453").max_amount, None);
    }
}
