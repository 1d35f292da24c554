//! Gas limits.

/// Added to the estimate, in percent. Unused gas is refunded.
const MARGIN_PERCENT: u64 = 15;

/// The gas limit for a gas estimate.
#[must_use]
pub const fn gas_limit_with_margin(estimate: u64) -> u64 {
    estimate.saturating_add(estimate / 100 * MARGIN_PERCENT + estimate % 100 * MARGIN_PERCENT / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_a_margin_without_overflow() {
        assert_eq!(gas_limit_with_margin(100_000), 115_000);
        assert_eq!(gas_limit_with_margin(12_345), 14_196);
        assert_eq!(gas_limit_with_margin(99), 113);
        assert_eq!(gas_limit_with_margin(u64::MAX), u64::MAX);
    }
}
