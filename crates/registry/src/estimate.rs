//! The gas limit for an estimate.

/// Room above the estimate, in percent: what is not used is not paid.
const GAS_MARGIN_PERCENT: u64 = 15;

/// The gas limit for an estimate.
#[must_use]
pub const fn with_margin(gas: u64) -> u64 {
    gas.saturating_add(gas / 100 * GAS_MARGIN_PERCENT + gas % 100 * GAS_MARGIN_PERCENT / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_a_margin_and_never_overflows() {
        assert_eq!(with_margin(100_000), 115_000);
        assert_eq!(with_margin(u64::MAX), u64::MAX);
    }
}
