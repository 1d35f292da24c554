//! EIP-1559 fees.

use std::fmt;

use alloy::{
    eips::BlockNumberOrTag,
    network::Ethereum,
    providers::{DynProvider, Provider},
};
use serde::Serialize;

use crate::{Error, error::rpc_error};

/// Blocks and percentile of `eth_feeHistory` that the priority fee is taken from.
const HISTORY_BLOCKS: u64 = 10;
const TIP_PERCENTILE: f64 = 50.0;

/// The max fee covers a base fee of this many times the current one.
const BASE_FEE_FACTOR: u128 = 2;

/// Fee increase of a replacement transaction, in percent. Nodes require 10.
const REPLACEMENT_PERCENT: u128 = 13;

/// Upper limits on the fees of a transaction, in wei per gas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields of EIP-1559")]
pub struct FeeLimits {
    pub max_fee_per_gas: Option<u128>,
    pub max_priority_fee_per_gas: Option<u128>,
}

/// Fees of a transaction, in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named after the fields of EIP-1559")]
pub struct Fees {
    /// Base fee of the next block.
    pub base_fee_per_gas: u128,
    /// Includes the priority fee.
    pub max_fee_per_gas: u128,
    pub max_priority_fee_per_gas: u128,
}

/// A fee of EIP-1559.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named after the fields of EIP-1559")]
pub enum FeeKind {
    MaxFeePerGas,
    MaxPriorityFeePerGas,
}

/// A transaction needs a higher fee than its limit allows. Amounts are in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct FeeLimitExceeded {
    pub fee: FeeKind,
    pub needed: u128,
    pub limit: u128,
}

impl fmt::Display for FeeLimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fee = match self.fee {
            FeeKind::MaxFeePerGas => "max fee per gas",
            FeeKind::MaxPriorityFeePerGas => "max priority fee per gas",
        };
        let Self { needed, limit, .. } = self;
        write!(
            f,
            "{fee} must be at least {needed} wei, but its limit is {limit} wei"
        )
    }
}

impl Fees {
    /// Fees for inclusion in one of the next blocks, within the limits.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn suggest(
        provider: &DynProvider<Ethereum>,
        limits: FeeLimits,
    ) -> Result<Self, Error> {
        let history = provider
            .get_fee_history(HISTORY_BLOCKS, BlockNumberOrTag::Latest, &[TIP_PERCENTILE])
            .await
            .map_err(rpc_error("eth_feeHistory"))?;
        let base = history.base_fee_per_gas.last().copied().unwrap_or_default();
        let tips = history.reward.unwrap_or_default().into_iter().flatten();
        Ok(Self::compute(base, median_tip(tips), limits))
    }

    fn compute(base: u128, tip: u128, limits: FeeLimits) -> Self {
        let limit = limits.max_fee_per_gas.unwrap_or(u128::MAX);
        let tip = tip.min(limits.max_priority_fee_per_gas.unwrap_or(u128::MAX));
        let max = base.saturating_mul(BASE_FEE_FACTOR).saturating_add(tip);
        let max = max.min(limit);
        Self {
            base_fee_per_gas: base,
            max_fee_per_gas: max,
            max_priority_fee_per_gas: tip.min(max),
        }
    }

    /// The gas price paid if the transaction is included in the next block.
    #[must_use]
    pub fn expected_gas_price(&self) -> u128 {
        let price = self
            .base_fee_per_gas
            .saturating_add(self.max_priority_fee_per_gas);
        price.min(self.max_fee_per_gas)
    }

    /// Whether the transaction can be included in the next block.
    #[must_use]
    pub const fn covers_base_fee(&self) -> bool {
        self.max_fee_per_gas >= self.base_fee_per_gas
    }

    /// Fees of a transaction that replaces one with `previous = (max fee, max priority fee)`: at least these, raised by what
    /// nodes require.
    ///
    /// # Errors
    ///
    /// When a limit is too low.
    pub fn replacement(
        self,
        previous: (u128, u128),
        limits: FeeLimits,
    ) -> Result<Self, FeeLimitExceeded> {
        let raised = |fee: u128| fee + (fee * REPLACEMENT_PERCENT).div_ceil(100) + 1;
        let needed = raised(previous.0).max(self.base_fee_per_gas);
        let needed_tip = raised(previous.1);
        let check = |fee, needed, limit: Option<u128>| match limit {
            Some(limit) if needed > limit => Err(FeeLimitExceeded { fee, needed, limit }),
            _ => Ok(limit.unwrap_or(u128::MAX)),
        };
        let limit = check(FeeKind::MaxFeePerGas, needed, limits.max_fee_per_gas)?;
        let tip_limit = check(
            FeeKind::MaxPriorityFeePerGas,
            needed_tip,
            limits.max_priority_fee_per_gas,
        )?;
        let max_fee_per_gas = self.max_fee_per_gas.max(needed).min(limit);
        let tip = self.max_priority_fee_per_gas.max(needed_tip).min(tip_limit);
        Ok(Self {
            max_fee_per_gas,
            max_priority_fee_per_gas: tip.min(max_fee_per_gas),
            ..self
        })
    }
}

/// The median of the nonzero tips; 1 wei if there is none.
fn median_tip(tips: impl Iterator<Item = u128>) -> u128 {
    let mut tips: Vec<_> = tips.filter(|tip| *tip > 0).collect();
    tips.sort_unstable();
    tips.get(tips.len() / 2).copied().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNLIMITED: FeeLimits = FeeLimits {
        max_fee_per_gas: None,
        max_priority_fee_per_gas: None,
    };

    fn limited(max: u128, tip: u128) -> FeeLimits {
        FeeLimits {
            max_fee_per_gas: Some(max),
            max_priority_fee_per_gas: Some(tip),
        }
    }

    #[test]
    fn covers_a_doubled_base_fee() {
        let fees = Fees::compute(100, 3, UNLIMITED);
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (203, 3)
        );
        assert_eq!(fees.expected_gas_price(), 103);
    }

    #[test]
    fn never_exceeds_the_limits() {
        let fees = Fees::compute(100, 30, limited(110, 5));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (110, 5)
        );
        assert!(fees.covers_base_fee());
        let fees = Fees::compute(100, 30, limited(99, 300));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (99, 30)
        );
        assert!(!fees.covers_base_fee());
    }

    #[test]
    fn a_replacement_raises_both_fees_by_at_least_ten_percent() {
        for previous in [(1, 1), (203, 3), (1_000_000_007, 1_000_000)] {
            let fees = Fees::compute(1, 1, UNLIMITED)
                .replacement(previous, UNLIMITED)
                .unwrap();
            assert!(fees.max_fee_per_gas * 10 >= previous.0 * 11);
            assert!(fees.max_priority_fee_per_gas * 10 >= previous.1 * 11);
        }
    }

    #[test]
    fn a_replacement_follows_the_base_fee_up_to_the_limit() {
        let current = |limits| Fees::compute(1_000, 1, limits);
        let fees = current(UNLIMITED).replacement((100, 1), UNLIMITED).unwrap();
        assert_eq!(fees.max_fee_per_gas, 2_001);
        let tight = limited(1_500, 10);
        let fees = current(tight).replacement((100, 1), tight).unwrap();
        assert_eq!(fees.max_fee_per_gas, 1_500);
        let exceeded =
            |limits, previous| current(limits).replacement(previous, limits).unwrap_err();
        let error = exceeded(limited(999, 10), (100, 1));
        assert_eq!((error.needed, error.fee), (1_000, FeeKind::MaxFeePerGas));
        let error = exceeded(limited(5_000, 2), (100, 2));
        assert_eq!((error.limit, error.fee), (2, FeeKind::MaxPriorityFeePerGas));
    }

    #[test]
    fn the_suggested_tip_is_the_median_of_nonzero_tips() {
        assert_eq!(median_tip([0, 9, 1, 0, 5].into_iter()), 5);
        assert_eq!(median_tip([0, 0].into_iter()), 1);
    }
}
