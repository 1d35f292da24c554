//! What a transaction offers (EIP-1559), and how far it may go.

use alloy::{
    eips::BlockNumberOrTag,
    network::Ethereum,
    providers::{DynProvider, Provider},
};
use serde::Serialize;

use crate::{Error, error::failed};

/// Blocks to learn the usual tip from, and how generous a sender to follow.
const HISTORY_BLOCKS: u64 = 10;
const TIP_PERCENTILE: f64 = 50.0;

/// How often the base fee may double before an offer falls behind.
const HEADROOM: u128 = 2;

/// A replacement must offer this much more, in percent; nodes ask for ten.
const BUMP_PERCENT: u128 = 13;

/// The most the operator will offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeeLimits {
    /// Per gas, tip included, in wei.
    pub max_fee_per_gas: Option<u128>,
    /// Tip per gas, in wei.
    pub max_priority_fee_per_gas: Option<u128>,
}

/// An offer, in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fees {
    /// What the next block takes from everyone.
    pub base_fee_per_gas: u128,
    /// At most this, tip included.
    pub max_fee_per_gas: u128,
    /// Of it, at most this to whoever makes the block.
    pub max_priority_fee_per_gas: u128,
}

impl Fees {
    /// What is usual now, under the caps.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn suggest(provider: &DynProvider<Ethereum>, caps: FeeLimits) -> Result<Self, Error> {
        let history = provider
            .get_fee_history(HISTORY_BLOCKS, BlockNumberOrTag::Latest, &[TIP_PERCENTILE])
            .await
            .map_err(failed("eth_feeHistory"))?;
        let base = history.base_fee_per_gas.last().copied().unwrap_or_default();
        let tips = history.reward.unwrap_or_default().into_iter().flatten();
        Ok(Self::offer(base, usual(tips), caps))
    }

    fn offer(base: u128, tip: u128, caps: FeeLimits) -> Self {
        let cap = caps.max_fee_per_gas.unwrap_or(u128::MAX);
        let tip = tip.min(caps.max_priority_fee_per_gas.unwrap_or(u128::MAX));
        let max = base.saturating_mul(HEADROOM).saturating_add(tip).min(cap);
        Self {
            base_fee_per_gas: base,
            max_fee_per_gas: max,
            max_priority_fee_per_gas: tip.min(max),
        }
    }

    /// What is likely paid per gas, were it in the next block.
    #[must_use]
    pub fn likely(&self) -> u128 {
        let paid = self
            .base_fee_per_gas
            .saturating_add(self.max_priority_fee_per_gas);
        paid.min(self.max_fee_per_gas)
    }

    /// Whether the next block would take it.
    #[must_use]
    pub const fn reaches_base_fee(&self) -> bool {
        self.max_fee_per_gas >= self.base_fee_per_gas
    }

    /// An offer that replaces an earlier one: what is usual now, and enough more than before for nodes to take it.
    ///
    /// # Errors
    ///
    /// When the caps do not allow it.
    pub fn replacing(self, earlier: (u128, u128), caps: FeeLimits) -> Result<Self, Shortfall> {
        let bumped = |fee: u128| fee + (fee * BUMP_PERCENT).div_ceil(100) + 1;
        let (least, least_tip) = (bumped(earlier.0), bumped(earlier.1));
        let least = least.max(self.base_fee_per_gas);
        let within = |needed, cap: Option<u128>, flag| match cap {
            Some(cap) if needed > cap => Err(Shortfall { needed, cap, flag }),
            _ => Ok(cap.unwrap_or(u128::MAX)),
        };
        let cap = within(least, caps.max_fee_per_gas, "--max-fee-per-gas")?;
        let tip_cap = caps.max_priority_fee_per_gas;
        let tip_cap = within(least_tip, tip_cap, "--max-priority-fee-per-gas")?;
        let max_fee_per_gas = self.max_fee_per_gas.max(least).min(cap);
        let tip = self.max_priority_fee_per_gas.max(least_tip).min(tip_cap);
        Ok(Self {
            max_fee_per_gas,
            max_priority_fee_per_gas: tip.min(max_fee_per_gas),
            ..self
        })
    }
}

/// What a replacement would take, and the cap that does not allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// What it would take, in wei per gas.
    pub needed: u128,
    /// The cap.
    pub cap: u128,
    /// Where the cap comes from.
    pub flag: &'static str,
}

/// The median of those who tip at all; one wei where nobody does.
fn usual(tips: impl Iterator<Item = u128>) -> u128 {
    let mut tips: Vec<_> = tips.filter(|tip| *tip > 0).collect();
    tips.sort_unstable();
    tips.get(tips.len() / 2).copied().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: FeeLimits = FeeLimits {
        max_fee_per_gas: None,
        max_priority_fee_per_gas: None,
    };

    fn capped(max: u128, tip: u128) -> FeeLimits {
        FeeLimits {
            max_fee_per_gas: Some(max),
            max_priority_fee_per_gas: Some(tip),
        }
    }

    #[test]
    fn leaves_room_for_the_base_fee_to_double() {
        let fees = Fees::offer(100, 3, FREE);
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (203, 3)
        );
        assert_eq!(fees.likely(), 103);
    }

    #[test]
    fn never_offers_more_than_the_caps() {
        let fees = Fees::offer(100, 30, capped(110, 5));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (110, 5)
        );
        assert!(fees.reaches_base_fee());
        let fees = Fees::offer(100, 30, capped(99, 300));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (99, 30)
        );
        assert!(!fees.reaches_base_fee());
    }

    #[test]
    fn a_replacement_offers_at_least_a_tenth_more_of_both() {
        for earlier in [(1, 1), (203, 3), (1_000_000_007, 1_000_000)] {
            let fees = Fees::offer(1, 1, FREE).replacing(earlier, FREE).unwrap();
            assert!(fees.max_fee_per_gas * 10 >= earlier.0 * 11);
            assert!(fees.max_priority_fee_per_gas * 10 >= earlier.1 * 11);
        }
    }

    #[test]
    fn a_replacement_follows_the_chain_up_to_the_cap_and_not_beyond() {
        let now = |caps| Fees::offer(1_000, 1, caps);
        let fees = now(FREE).replacing((100, 1), FREE).unwrap();
        assert_eq!(fees.max_fee_per_gas, 2_001);
        let tight = capped(1_500, 10);
        let fees = now(tight).replacing((100, 1), tight).unwrap();
        assert_eq!(fees.max_fee_per_gas, 1_500);
        let short = |caps, earlier| now(caps).replacing(earlier, caps).unwrap_err();
        let tight = short(capped(999, 10), (100, 1));
        assert_eq!((tight.needed, tight.flag), (1_000, "--max-fee-per-gas"));
        let stingy = short(capped(5_000, 2), (100, 2));
        assert_eq!((stingy.cap, stingy.flag), (2, "--max-priority-fee-per-gas"));
    }

    #[test]
    fn the_usual_tip_is_the_median_of_those_who_tip() {
        assert_eq!(usual([0, 9, 1, 0, 5].into_iter()), 5);
        assert_eq!(usual([0, 0].into_iter()), 1);
    }
}
