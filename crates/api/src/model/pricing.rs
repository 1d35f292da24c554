use alloy_primitives::U256;
use atr_auth::{CHAINS, format_units};
use atr_ids::{AccountId, AssetId};
use atr_store::index::{ListedPrice, ToolRecord};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::text;

/// A price of a call: one of them is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "named as clients expect")]
pub struct PricingRecipient {
    /// Address of the payee.
    pub recipient: String,
    /// EIP-155 chain id; the CAIP-2 id of other chains.
    pub payment_chain: String,
    /// Address of the token; the CAIP-19 id of other assets.
    pub asset: String,
    /// CAIP-19.
    pub asset_id: String,
    pub protocol: String,
    /// In base units of the asset.
    pub amount_per_call: String,
    /// Time of the manifest's registration.
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset_symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset_decimals: Option<u8>,
    /// Of USDC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount_per_call_usd: Option<String>,
}

impl PricingRecipient {
    pub(crate) fn all(tool: &ToolRecord) -> impl Iterator<Item = Self> {
        let created_at = text::timestamp(tool.updated.time);
        let prices = tool.listing.iter().flat_map(|listing| &listing.prices);
        prices.map(move |price| Self::new(price, created_at.clone()))
    }

    fn new(price: &ListedPrice, created_at: String) -> Self {
        let asset: Option<AssetId> = price.asset.parse().ok();
        let recipient: Option<AccountId> = price.recipient.parse().ok();
        let chain = asset
            .as_ref()
            .map(|asset| asset.chain().to_owned())
            .unwrap_or_default();
        let token = asset.as_ref().filter(|asset| asset.namespace() == "erc20");
        let is_usdc = is_usdc(&price.asset);
        let amount: Option<U256> = price.amount.parse().ok();
        Self {
            recipient: recipient.map_or_else(
                || price.recipient.clone(),
                |account| account.address().to_owned(),
            ),
            payment_chain: chain.strip_prefix("eip155:").unwrap_or(&chain).to_owned(),
            asset: token.map_or_else(|| price.asset.clone(), |token| token.reference().to_owned()),
            asset_id: price.asset.clone(),
            protocol: text::line(&price.protocol, 64),
            amount_per_call: price.amount.clone(),
            created_at,
            asset_symbol: is_usdc.then(|| "USDC".to_owned()),
            asset_decimals: is_usdc.then_some(6),
            amount_per_call_usd: amount
                .filter(|_| is_usdc)
                .map(|amount| format_units(amount, 6)),
        }
    }
}

/// CAIP-19 of USDC on all known chains. All have six decimals.
pub(crate) fn usdc_assets() -> Vec<String> {
    CHAINS
        .iter()
        .filter_map(|chain| {
            Some(format!(
                "eip155:{}/erc20:{:#x}",
                chain.chain_id, chain.usdc?.address
            ))
        })
        .collect()
}

fn is_usdc(asset: &str) -> bool {
    usdc_assets().iter().any(|usdc| usdc == asset)
}
