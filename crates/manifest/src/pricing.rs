//! Prices.

use alloy_primitives::U256;
use atr_ids::{AccountId, AssetId, parse_decimal};
use serde::{Serialize, Serializer};

use crate::Value;

/// A price of a call. Serialized as in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Price {
    /// In base units of the asset. A zero amount still uses the payment protocol.
    #[serde(serialize_with = "as_text")]
    pub amount: U256,
    /// The asset to pay with.
    #[serde(serialize_with = "as_text")]
    pub asset: AssetId,
    /// The account to pay.
    #[serde(serialize_with = "as_text")]
    pub recipient: AccountId,
    /// The payment protocol, such as `x402`. The ERC does not define values.
    pub protocol: String,
}

impl Price {
    pub(crate) fn from_value(entry: Value<'_>) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        Some(Self {
            amount: parse_decimal(text("amount")?).ok()?,
            asset: text("asset")?.parse().ok()?,
            recipient: text("recipient")?.parse().ok()?,
            protocol: text("protocol")?.to_owned(),
        })
    }
}

fn as_text<S: Serializer>(value: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}

/// The price that applies to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer<'a> {
    /// The manifest has no prices.
    NotPriced,
    /// The agent supports none of the payment protocols. The tool is not free.
    Unknown,
    /// The first price the agent can pay.
    Price(&'a Price),
}

impl<'a> Offer<'a> {
    /// Selects the first price whose protocol is supported.
    #[must_use]
    pub fn choose(prices: &'a [Price], supported: &[&str]) -> Self {
        if prices.is_empty() {
            return Self::NotPriced;
        }
        prices
            .iter()
            .find(|price| supported.contains(&price.protocol.as_str()))
            .map_or(Self::Unknown, Self::Price)
    }
}
