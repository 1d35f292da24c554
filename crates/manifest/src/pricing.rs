//! What a call costs, as the manifest states it.

use alloy_primitives::U256;
use atr_ids::{AccountId, AssetId, parse_decimal};

use crate::Value;

/// A way to pay. The first is the one the creator prefers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// In the asset's smallest unit. Zero is free, but still goes through the protocol.
    pub amount: U256,
    /// What is paid.
    pub asset: AssetId,
    /// Who is paid.
    pub recipient: AccountId,
    /// How: opaque to the ERC.
    pub protocol: String,
}

impl Price {
    pub(crate) fn of(entry: Value<'_>) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        Some(Self {
            amount: parse_decimal(text("amount")?).ok()?,
            asset: text("asset")?.parse().ok()?,
            recipient: text("recipient")?.parse().ok()?,
            protocol: text("protocol")?.to_owned(),
        })
    }
}

/// What an agent makes of a manifest's prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer<'a> {
    /// The manifest says nothing about a price.
    NotPriced,
    /// There are prices, in protocols this agent does not speak: unknown, and not free.
    Unknown,
    /// The first that this agent can pay.
    At(&'a Price),
}

impl<'a> Offer<'a> {
    /// The first price whose protocol is supported.
    #[must_use]
    pub fn choose(prices: &'a [Price], supported: &[&str]) -> Self {
        if prices.is_empty() {
            return Self::NotPriced;
        }
        prices
            .iter()
            .find(|price| supported.contains(&price.protocol.as_str()))
            .map_or(Self::Unknown, Self::At)
    }
}
