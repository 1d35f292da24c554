//! Gas prices: EIP-1559, or a gas price on chains without a base fee.

mod data_fee;
mod gas;
mod wei;

use std::fmt;

use alloy::{eips::BlockNumberOrTag, providers::Provider};
use serde::{Deserialize, Serialize};

pub use self::{data_fee::DataFee, gas::gas_limit_with_margin, wei::Wei};
use crate::{ChainProfile, Error, Node, TransactionType, rpc_error};

/// Blocks and percentile of `eth_feeHistory` that the priority fee is taken from.
const HISTORY_BLOCKS: u64 = 10;
const TIP_PERCENTILE: f64 = 50.0;

/// The first attempt covers a base fee of 3/2 of the current one; with the replacements, the maximum cost covers almost twice.
const BASE_FEE_FACTOR: (u128, u128) = (3, 2);

/// Fee increase of a replacement transaction, in percent. Nodes require 10.
const REPLACEMENT_PERCENT: u128 = 13;

/// Replacements that the maximum cost covers.
const PLANNED_REPLACEMENTS: usize = 2;

/// Upper limits on the fees of a transaction, in wei per gas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields of EIP-1559")]
pub struct FeeLimits {
    pub max_fee_per_gas: Option<u128>,
    pub max_priority_fee_per_gas: Option<u128>,
}

/// Fees of a transaction, in wei per gas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named after the fields of EIP-1559")]
pub struct Fees {
    /// Base fee of the next block; zero for a legacy transaction.
    pub base_fee_per_gas: u128,
    /// Includes the priority fee. The gas price of a legacy transaction.
    pub max_fee_per_gas: u128,
    pub max_priority_fee_per_gas: u128,
    /// Whether the transaction has a gas price instead.
    pub is_legacy: bool,
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
            "{fee} must be at least {}, but its limit is {}",
            format_gwei(*needed),
            format_gwei(*limit)
        )
    }
}

/// A price in wei as exact text: `0.0015 gwei`.
#[must_use]
pub fn format_gwei(wei: u128) -> String {
    const GWEI: u128 = 1_000_000_000;
    let fraction = format!("{:09}", wei % GWEI);
    match fraction.trim_end_matches('0') {
        "" => format!("{} gwei", wei / GWEI),
        fraction => format!("{}.{fraction} gwei", wei / GWEI),
    }
}

impl Fees {
    /// Fees for inclusion in one of the next blocks, within the limits.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn suggest(
        node: &Node,
        profile: &ChainProfile,
        limits: FeeLimits,
    ) -> Result<Self, Error> {
        let latest = node.block("latest", false).await?;
        let has_base_fee = latest.is_none_or(|block| block.base_fee_per_gas.is_some());
        if profile.transaction_type == TransactionType::Legacy || !has_base_fee {
            let price = node.provider().get_gas_price().await;
            let price = price.map_err(rpc_error("eth_gasPrice"))?;
            return Ok(Self::legacy(price, limits));
        }
        let history = node
            .provider()
            .get_fee_history(HISTORY_BLOCKS, BlockNumberOrTag::Latest, &[TIP_PERCENTILE])
            .await
            .map_err(rpc_error("eth_feeHistory"))?;
        let base = history.base_fee_per_gas.last().copied().unwrap_or_default();
        let tips = history.reward.unwrap_or_default().into_iter().flatten();
        Ok(Self::eip1559(base, median_tip(tips), limits))
    }

    fn eip1559(base: u128, tip: u128, limits: FeeLimits) -> Self {
        let tip = tip.min(limits.max_priority_fee_per_gas.unwrap_or(u128::MAX));
        let (numerator, denominator) = BASE_FEE_FACTOR;
        let max = base.saturating_mul(numerator) / denominator;
        let max = max.saturating_add(tip);
        let max = max.min(limits.max_fee_per_gas.unwrap_or(u128::MAX));
        Self {
            base_fee_per_gas: base,
            max_fee_per_gas: max,
            max_priority_fee_per_gas: tip.min(max),
            is_legacy: false,
        }
    }

    fn legacy(price: u128, limits: FeeLimits) -> Self {
        let price = price.min(limits.max_fee_per_gas.unwrap_or(u128::MAX));
        Self {
            base_fee_per_gas: 0,
            max_fee_per_gas: price,
            max_priority_fee_per_gas: price,
            is_legacy: true,
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

    /// The lowest max fee for inclusion in the next block.
    #[must_use]
    pub fn lowest_gas_price(&self) -> u128 {
        if self.is_legacy {
            self.max_fee_per_gas
        } else {
            self.base_fee_per_gas.min(self.max_fee_per_gas)
        }
    }

    /// The highest gas price that a maximum cost must cover: this transaction and two replacements.
    #[must_use]
    pub fn highest_gas_price(&self, limits: FeeLimits) -> u128 {
        let raised = (0..PLANNED_REPLACEMENTS).fold(self.max_fee_per_gas, |fee, _| raise(fee));
        raised.min(limits.max_fee_per_gas.unwrap_or(u128::MAX))
    }

    /// Whether the transaction can be included in the next block.
    #[must_use]
    pub const fn covers_base_fee(&self) -> bool {
        self.max_fee_per_gas >= self.base_fee_per_gas
    }

    /// These fees with a lower maximum.
    pub(crate) fn limited_to(self, max_fee_per_gas: u128) -> Self {
        let max_fee_per_gas = self.max_fee_per_gas.min(max_fee_per_gas);
        Self {
            max_fee_per_gas,
            max_priority_fee_per_gas: if self.is_legacy {
                max_fee_per_gas
            } else {
                self.max_priority_fee_per_gas.min(max_fee_per_gas)
            },
            ..self
        }
    }

    /// The lowest max fee of a transaction that replaces one with this max fee.
    pub(crate) fn lowest_replacement(&self, previous: u128) -> u128 {
        raise(previous).max(self.base_fee_per_gas)
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
        let needed = self.lowest_replacement(previous.0);
        let needed_tip = raise(previous.1);
        let check = |fee, needed, limit: Option<u128>| match limit {
            Some(limit) if needed > limit => Err(FeeLimitExceeded { fee, needed, limit }),
            _ => Ok(limit.unwrap_or(u128::MAX)),
        };
        let limit = check(FeeKind::MaxFeePerGas, needed, limits.max_fee_per_gas)?;
        let max_fee_per_gas = self.max_fee_per_gas.max(needed).min(limit);
        if self.is_legacy {
            return Ok(Self {
                max_fee_per_gas,
                max_priority_fee_per_gas: max_fee_per_gas,
                ..self
            });
        }
        let tip_limit = check(
            FeeKind::MaxPriorityFeePerGas,
            needed_tip,
            limits.max_priority_fee_per_gas,
        )?;
        let tip = self.max_priority_fee_per_gas.max(needed_tip).min(tip_limit);
        Ok(Self {
            max_fee_per_gas,
            max_priority_fee_per_gas: tip.min(max_fee_per_gas),
            ..self
        })
    }
}

/// The lowest fee that replaces this one. Saturates: the values come from a node.
const fn raise(fee: u128) -> u128 {
    fee.saturating_add(fee.saturating_mul(REPLACEMENT_PERCENT).div_ceil(100))
        .saturating_add(1)
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
    fn covers_a_higher_base_fee_and_two_replacements() {
        let fees = Fees::eip1559(100, 3, UNLIMITED);
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (153, 3)
        );
        assert_eq!(fees.expected_gas_price(), 103);
        let first = fees.replacement((153, 3), UNLIMITED).unwrap();
        let previous = (first.max_fee_per_gas, first.max_priority_fee_per_gas);
        let second = fees.replacement(previous, UNLIMITED).unwrap();
        assert_eq!(second.max_fee_per_gas, fees.highest_gas_price(UNLIMITED));
        assert_eq!(fees.highest_gas_price(limited(160, 9)), 160);
    }

    #[test]
    fn never_exceeds_the_limits() {
        let fees = Fees::eip1559(100, 30, limited(110, 5));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (110, 5)
        );
        assert!(fees.covers_base_fee());
        let fees = Fees::eip1559(100, 30, limited(99, 300));
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (99, 30)
        );
        assert!(!fees.covers_base_fee());
        let fees = Fees::legacy(100, limited(7, 3));
        assert_eq!((fees.max_fee_per_gas, fees.expected_gas_price()), (7, 7));
    }

    #[test]
    fn a_replacement_raises_both_fees_by_at_least_ten_percent() {
        for previous in [(1, 1), (203, 3), (1_000_000_007, 1_000_000)] {
            let fees = Fees::eip1559(1, 1, UNLIMITED)
                .replacement(previous, UNLIMITED)
                .unwrap();
            assert!(fees.max_fee_per_gas * 10 >= previous.0 * 11);
            assert!(fees.max_priority_fee_per_gas * 10 >= previous.1 * 11);
            let fees = Fees::legacy(1, UNLIMITED)
                .replacement((previous.0, previous.0), UNLIMITED)
                .unwrap();
            assert!(fees.max_fee_per_gas * 10 >= previous.0 * 11);
            assert_eq!(fees.max_priority_fee_per_gas, fees.max_fee_per_gas);
        }
    }

    #[test]
    fn a_replacement_follows_the_base_fee_up_to_the_limit() {
        let current = |limits| Fees::eip1559(1_000, 1, limits);
        let fees = current(UNLIMITED).replacement((100, 1), UNLIMITED).unwrap();
        assert_eq!(fees.max_fee_per_gas, 1_501);
        let tight = limited(1_200, 10);
        let fees = current(tight).replacement((100, 1), tight).unwrap();
        assert_eq!(fees.max_fee_per_gas, 1_200);
        let exact = limited(1_000, 3);
        let fees = current(exact).replacement((100, 1), exact).unwrap();
        assert_eq!(
            (fees.max_fee_per_gas, fees.max_priority_fee_per_gas),
            (1_000, 3)
        );
        let exceeded =
            |limits, previous| current(limits).replacement(previous, limits).unwrap_err();
        let error = exceeded(limited(999, 10), (100, 1));
        assert_eq!((error.needed, error.fee), (1_000, FeeKind::MaxFeePerGas));
        let error = exceeded(limited(5_000, 2), (100, 2));
        assert_eq!((error.limit, error.fee), (2, FeeKind::MaxPriorityFeePerGas));
    }

    #[test]
    fn fees_of_a_lying_node_do_not_overflow() {
        let fees = Fees::eip1559(u128::MAX, u128::MAX, UNLIMITED);
        let replaced = fees.replacement((u128::MAX, u128::MAX), UNLIMITED).unwrap();
        assert_eq!(replaced.max_fee_per_gas, u128::MAX);
        assert_eq!(fees.highest_gas_price(UNLIMITED), u128::MAX);
    }

    #[test]
    fn fee_limits_are_displayed_in_gwei() {
        assert_eq!(format_gwei(2_000_000_000), "2 gwei");
        assert_eq!(format_gwei(1_500_000), "0.0015 gwei");
        let exceeded = FeeLimitExceeded {
            fee: FeeKind::MaxFeePerGas,
            needed: 14_487_299,
            limit: 1_000,
        };
        assert_eq!(
            exceeded.to_string(),
            "max fee per gas must be at least 0.014487299 gwei, but its limit is 0.000001 gwei"
        );
    }

    #[test]
    fn the_suggested_tip_is_the_median_of_nonzero_tips() {
        assert_eq!(median_tip([0, 9, 1, 0, 5].into_iter()), 5);
        assert_eq!(median_tip([4, 1, 3, 2].into_iter()), 3);
        assert_eq!(median_tip([0, 0].into_iter()), 1);
    }
}
