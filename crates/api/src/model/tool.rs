//! Tools.

use alloy_primitives::U256;
use atr_ids::{AssetId, ToolRef};
use atr_store::index::{
    AccessType, Listing, ToolDetail, ToolKey, ToolRecord, ToolState, VerificationStatus as Stored,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Access, PricingRecipient, UsageTotals};
use crate::text::{self, MAX_DESCRIPTION, MAX_NAME, MAX_TAGS, MAX_URL};

/// Result of the four checks of ERC-8257 § 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerificationStatus {
    /// All four checks passed.
    Verified,
    /// A check failed.
    Failed,
    /// Not checked yet, or a check was inconclusive. Treat it as not verified.
    Unknown,
}

impl From<Stored> for VerificationStatus {
    fn from(status: Stored) -> Self {
        match status {
            Stored::Verified => Self::Verified,
            Stored::Failed => Self::Failed,
            Stored::Pending | Stored::Unknown => Self::Unknown,
        }
    }
}

/// Verification of a tool in brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerificationSummary {
    #[expect(missing_docs, reason = "plain data")]
    pub status: VerificationStatus,
    /// The first check that failed or was inconclusive: `fetch`, `origin`, `hash` or `creator`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_check: Option<String>,
    /// Time of the last verification of the registered hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
}

/// Something that raises the risk of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "plain data")]
pub struct Risk {
    /// Stable code.
    pub code: String,
    pub detail: String,
    pub since: String,
}

/// What the ERC asks of indexers, on every item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Trust {
    /// CAIP-19 reference of the tool.
    pub tool_ref: String,
    /// Whether all four checks passed. Trust rests on this alone.
    pub verified: bool,
    #[expect(missing_docs, reason = "plain data")]
    pub verification: VerificationSummary,
    /// `open`, `nft_gated`, `token_gated`, `subscription` or `gated`.
    pub access_type: String,
    /// The access predicate; absent for an open tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_predicate: Option<String>,
    /// Whether the predicate's code can change. Absent if not known yet, or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate_is_proxy: Option<bool>,
    /// Time of the last upgrade of the predicate that the index saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate_upgraded_at: Option<String>,
    /// Whether the predicate declares `IAccessPredicate`. Absent if not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate_advertises_interface: Option<bool>,
    /// `false`: the tool is not yet available, because its predicate has no code. Absent if not known, or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate_has_code: Option<bool>,
    /// Whether the tool is deregistered, or its predicate denies every account. Silence of a creator never sets it.
    pub retired: bool,
    /// Number of other tools with the same `metadataURI`, at most 100.
    pub duplicates: u64,
    /// References of other tools with the same `metadataURI`: the first ones in lists, all of them (at most 100) in a tool.
    pub duplicates_of: Vec<String>,
    /// The verifiability tier that the manifest's details support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_tier: Option<String>,
    /// The tier that the manifest claims, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_tier: Option<String>,
    #[expect(missing_docs, reason = "plain data")]
    pub risks: Vec<Risk>,
    /// Verified calls.
    pub usage_count: u64,
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct ToolItem {
    pub tool_id: String,
    /// EIP-155 chain id.
    pub registry_chain: String,
    pub registry_addr: String,
    pub creator: String,
    pub metadata_uri: String,
    pub manifest_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_domain: Option<String>,
    /// Whether the served manifest has the registered hash.
    pub manifest_hash_verified: bool,
    /// Whether the tool is registered. Says nothing about whether its endpoint answers.
    pub is_active: bool,
    pub created_at: String,
    pub updated_at: String,
    #[serde(flatten)]
    pub trust: Trust,
}

/// A page of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolPage {
    /// Can be fewer than the limit, even none, before the last page.
    pub tools: Vec<ToolItem>,
    /// The cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A result of a search. Names, description and tags are what the manifest says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct SearchResult {
    pub tool_id: String,
    pub registry_chain: String,
    pub registry_addr: String,
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub creator: String,
    /// The creator's address: the index has no names of accounts.
    pub creator_display_name: String,
    pub endpoint_domain: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featured_image_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pricing_recipients: Option<Vec<PricingRecipient>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    #[serde(flatten)]
    pub trust: Trust,
}

/// A page of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchPage {
    #[expect(missing_docs, reason = "plain data")]
    pub results: Vec<SearchResult>,
    /// The cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// With `callable_by`: tools that matched, but for which the chain gave no answer. They are not in the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access_unknown: Vec<String>,
}

/// A tool with all that the index knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct Tool {
    #[serde(flatten)]
    pub item: ToolItem,
    pub name: String,
    pub display_name: String,
    pub description: String,
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// JSON Schema of a call, as in the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<serde_json::Value>,
    /// JSON Schema of a result, as in the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The creator that the manifest names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_address: Option<String>,
    /// The same as `access_type`.
    pub access_tier: String,
    /// Always `unknown`: the index does not call tools.
    pub health_status: String,
    pub pricing_recipients: Vec<PricingRecipient>,
    pub access: Access,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featured_image_url: Option<String>,
    pub usage_totals: UsageTotals,
}

/// Names of the checks by number.
pub(crate) fn check_name(number: u8) -> Option<&'static str> {
    match number {
        1 => Some("fetch"),
        2 => Some("origin"),
        3 => Some("hash"),
        4 => Some("creator"),
        _ => None,
    }
}

pub(crate) const fn access_type_name(access_type: AccessType) -> &'static str {
    match access_type {
        AccessType::Open => "open",
        AccessType::Gated => "gated",
        AccessType::NftGated => "nft_gated",
        AccessType::TokenGated => "token_gated",
        AccessType::Subscription => "subscription",
    }
}

/// The CAIP-19 reference.
pub(crate) fn reference(key: ToolKey) -> String {
    let reference = ToolRef::try_new(key.registry.chain_id, key.registry.address, key.id);
    reference.map_or_else(
        // Chain ids beyond the range of a reference are not indexed.
        |_| {
            format!(
                "eip155:{}/erc8257:{:#x}/{}",
                key.registry.chain_id, key.registry.address, key.id
            )
        },
        |reference| reference.to_string(),
    )
}

/// The key of a reference.
pub(crate) fn key(reference: &str) -> Option<ToolKey> {
    let reference: ToolRef = reference.parse().ok()?;
    Some(ToolKey {
        registry: atr_store::index::RegistryKey {
            chain_id: reference.chain(),
            address: reference.registry(),
        },
        id: reference.id(),
    })
}

impl Trust {
    pub(crate) fn new(tool: &ToolRecord, duplicates: &[ToolKey]) -> Self {
        let status = VerificationStatus::from(tool.status);
        let facts = tool.predicate_facts.as_ref();
        let listing = tool.listing.as_ref();
        let effective = listing.and_then(|listing| listing.effective_tier.clone());
        let claimed = listing.and_then(|listing| listing.claimed_tier.clone());
        Self {
            tool_ref: reference(tool.key),
            verified: is_verified(tool),
            verification: VerificationSummary {
                status,
                failing_check: tool.failing_check.and_then(check_name).map(str::to_owned),
                checked_at: tool.checked_at.map(text::timestamp),
            },
            access_type: access_type_name(tool.access_type).to_owned(),
            access_predicate: tool.predicate.map(|address| address.to_string()),
            predicate_is_proxy: facts.map(|facts| facts.is_proxy),
            predicate_upgraded_at: facts
                .and_then(|facts| facts.upgraded_at)
                .max(tool.terms_upgraded_at)
                .map(text::timestamp),
            predicate_advertises_interface: facts.and_then(|facts| facts.advertises_interface),
            predicate_has_code: facts.map(|facts| facts.has_code),
            // T-54: an old tool is not a retired one.
            retired: tool.state != ToolState::Live || tool.always_denies,
            duplicates: tool.duplicates,
            duplicates_of: duplicates.iter().map(|key| reference(*key)).collect(),
            claimed_tier: claimed
                .filter(|claimed| Some(claimed) != effective.as_ref())
                .map(|tier| text::line(&tier, 64)),
            effective_tier: effective.map(|tier| text::line(&tier, 64)),
            risks: tool
                .risks
                .iter()
                .map(|risk| Risk {
                    code: text::line(&risk.code, 64),
                    detail: text::line(&risk.detail, 500),
                    since: text::timestamp(risk.since),
                })
                .collect(),
            usage_count: tool.usage_count,
        }
    }
}

/// Only a registered tool with four passed checks.
pub(crate) fn is_verified(tool: &ToolRecord) -> bool {
    tool.state == ToolState::Live && tool.status == Stored::Verified
}

fn url(text: &str) -> String {
    text::line(text, MAX_URL)
}

impl ToolItem {
    pub(crate) fn new(tool: &ToolRecord, duplicates: &[ToolKey]) -> Self {
        let listing = tool.listing.as_ref();
        let is_hash_verified = match tool.status {
            Stored::Verified => true,
            // The fourth check runs after the hash was found equal.
            Stored::Failed | Stored::Unknown => tool.failing_check == Some(4),
            Stored::Pending => false,
        };
        Self {
            tool_id: tool.key.id.to_string(),
            registry_chain: tool.key.registry.chain_id.to_string(),
            registry_addr: tool.key.registry.address.to_string(),
            creator: tool.creator.to_string(),
            metadata_uri: url(&tool.metadata_uri),
            manifest_hash: tool.manifest_hash.to_string(),
            endpoint_url: listing
                .and_then(|listing| listing.endpoint.as_deref())
                .map(url),
            endpoint_domain: listing.and_then(domain),
            manifest_hash_verified: is_hash_verified,
            is_active: tool.state == ToolState::Live,
            created_at: text::timestamp(tool.registered.time),
            updated_at: text::timestamp(tool.updated.time),
            trust: Trust::new(tool, duplicates),
        }
    }
}

/// The host in the form that is safe to show (K-15).
fn domain(listing: &Listing) -> Option<String> {
    let host = listing
        .endpoint_host
        .as_ref()
        .or(listing.endpoint_host_ascii.as_ref())?;
    Some(text::line(host, 255))
}

/// Texts of a manifest, made safe.
struct Texts {
    name: String,
    description: String,
    tags: Vec<String>,
}

impl Texts {
    fn new(listing: Option<&Listing>) -> Self {
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let name = text(listing.and_then(|listing| listing.name.as_ref()));
        let description = text(listing.and_then(|listing| listing.description.as_ref()));
        let tags = listing
            .map(|listing| listing.tags.as_slice())
            .unwrap_or_default();
        Self {
            name: text::line(&name, MAX_NAME),
            description: text::paragraphs(&description, MAX_DESCRIPTION),
            tags: tags
                .iter()
                .take(MAX_TAGS)
                .map(|tag| text::line(tag, 64))
                .collect(),
        }
    }
}

impl SearchResult {
    pub(crate) fn new(tool: &ToolRecord, duplicates: &[ToolKey], access: Option<Access>) -> Self {
        let listing = tool.listing.as_ref();
        let texts = Texts::new(listing);
        let image = |image: Option<&String>| image.map(|image| url(image));
        Self {
            tool_id: tool.key.id.to_string(),
            registry_chain: tool.key.registry.chain_id.to_string(),
            registry_addr: tool.key.registry.address.to_string(),
            display_name: texts.name.clone(),
            name: texts.name,
            description: texts.description,
            tags: texts.tags,
            creator: tool.creator.to_string(),
            creator_display_name: tool.creator.to_string(),
            endpoint_domain: listing.and_then(domain).unwrap_or_default(),
            created_at: text::timestamp(tool.registered.time),
            image_url: image(listing.and_then(|listing| listing.image.as_ref())),
            featured_image_url: image(listing.and_then(|listing| listing.featured_image.as_ref())),
            pricing_recipients: access.is_some().then(|| PricingRecipient::all(tool)),
            access,
            trust: Trust::new(tool, duplicates),
        }
    }
}

impl Tool {
    pub(crate) fn new(detail: &ToolDetail, usage_totals: UsageTotals) -> Self {
        let tool = &detail.tool;
        let listing = tool.listing.as_ref();
        let texts = Texts::new(listing);
        let manifest: Option<serde_json::Value> = detail
            .manifest
            .as_ref()
            .and_then(|bytes| serde_json::from_slice(bytes).ok());
        let member = |name: &str| {
            manifest
                .as_ref()
                .and_then(|manifest| manifest.get(name))
                .cloned()
        };
        let image = |image: Option<&String>| image.map(|image| url(image));
        Self {
            item: ToolItem::new(tool, &detail.duplicates),
            display_name: texts.name.clone(),
            name: texts.name,
            description: texts.description,
            tags: texts.tags,
            version: listing
                .and_then(|listing| listing.version.as_ref())
                .map(|version| text::line(version, 64)),
            inputs: member("inputs"),
            outputs: member("outputs"),
            endpoint: listing
                .and_then(|listing| listing.endpoint.as_deref())
                .map(url),
            creator_address: member("creatorAddress")
                .and_then(|address| Some(text::line(address.as_str()?, 128))),
            access_tier: access_type_name(tool.access_type).to_owned(),
            health_status: "unknown".to_owned(),
            pricing_recipients: PricingRecipient::all(tool),
            access: Access::new(tool, detail.access.as_ref()),
            image_url: image(listing.and_then(|listing| listing.image.as_ref())),
            featured_image_url: image(listing.and_then(|listing| listing.featured_image.as_ref())),
            usage_totals,
        }
    }
}

/// Whether a tool is free, or has a price in one of the assets of at most the amount. Exact, unlike the search index.
pub(crate) fn costs_at_most(tool: &ToolRecord, assets: &[String], amount: U256) -> bool {
    let prices = tool
        .listing
        .as_ref()
        .map(|listing| listing.prices.as_slice())
        .unwrap_or_default();
    prices.is_empty()
        || prices.iter().any(|price| {
            let asset = asset_key(&price.asset);
            assets.contains(&asset)
                && price
                    .amount
                    .parse::<U256>()
                    .is_ok_and(|price| price <= amount)
        })
}

/// The form in which assets are compared: valid CAIP-19 has lower-case addresses already.
pub(crate) fn asset_key(asset: &str) -> String {
    asset
        .parse::<AssetId>()
        .map_or_else(|_| asset.to_lowercase(), |asset| asset.as_str().to_owned())
}
