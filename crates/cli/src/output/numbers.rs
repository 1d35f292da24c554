//! Number formatting.

use alloy_primitives::U256;

/// Decimal with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    group(&number.to_string())
}

/// A number of things: `1 tool`, `2 tools`.
pub(crate) fn count_noun(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", grouped(count as u64)),
    }
}

/// An exact amount in whole units, with thousands separators.
pub(crate) fn amount(amount: U256, decimals: u8) -> String {
    let digits = format!(
        "{:0>width$}",
        amount.to_string(),
        width = usize::from(decimals) + 1
    );
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(decimals));
    match fraction.trim_end_matches('0') {
        "" => group(whole),
        fraction => format!("{}.{fraction}", group(whole)),
    }
}

/// Seconds since 1970 as `2026-11-18 11:11`, in UTC.
pub(crate) fn utc_minutes(seconds: u64) -> String {
    let time = atr_api::timestamp(seconds);
    let minutes = time.rsplit_once(':').map_or(&*time, |(minutes, _)| minutes);
    minutes.replace('T', " ")
}

fn group(digits: &str) -> String {
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(count_noun(1, "tool"), "1 tool");
        assert_eq!(count_noun(0, "tool"), "0 tools");
        assert_eq!(count_noun(1200, "tool"), "1,200 tools");
    }

    #[test]
    fn times_are_in_utc() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_795_000_281, "2026-11-18 11:11"),
            (4_102_444_799, "2099-12-31 23:59"),
        ] {
            assert_eq!(utc_minutes(seconds), expected);
        }
    }

    #[test]
    fn amounts_are_exact() {
        for (units, decimals, expected) in [
            (0u64, 6, "0"),
            (1, 6, "0.000001"),
            (1_000, 6, "0.001"),
            (100_000_000, 6, "100"),
            (1_234_500_000, 6, "1,234.5"),
            (7, 0, "7"),
            (1_000, 0, "1,000"),
        ] {
            assert_eq!(amount(U256::from(units), decimals), expected);
        }
        assert!(amount(U256::MAX, 77).starts_with("1.15792"));
    }
}
