//! What one call takes, as far as can be told without looking at what its values are.

use crate::{MAX_MATCHING_PER_CALL, MAX_STEPS_PER_CALL, MAX_STEPS_PER_REPORT};

/// Bytes of text that weigh as much as a place of their own.
const BYTES_TO_A_PLACE: u64 = 64;

/// How many places a text of so many bytes counts for.
pub(crate) const fn weight(bytes: u64) -> u64 {
    1 + bytes / BYTES_TO_A_PLACE
}

/// An upper bound of the work on a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bill {
    /// Keywords and entries looked at; at long strings they count for more, and for what is compared as a whole with all in it.
    pub(crate) steps: u64,
    /// Kilobytes of patterns times bytes of text.
    pub(crate) matching: u64,
    /// The same steps when each of them leaves a fault with a pointer in it.
    pub(crate) reporting: u64,
}

impl Bill {
    /// Whether the call is to be checked at all.
    pub(crate) const fn is_payable(&self) -> bool {
        self.steps <= MAX_STEPS_PER_CALL && self.matching <= MAX_MATCHING_PER_CALL
    }

    /// Whether all its faults may be collected.
    pub(crate) const fn is_reportable(&self) -> bool {
        self.steps <= MAX_STEPS_PER_REPORT && self.reporting <= MAX_STEPS_PER_REPORT
    }

    /// Of two upper bounds the lower.
    pub(super) fn least(self, other: Self) -> Self {
        Self {
            steps: self.steps.min(other.steps),
            matching: self.matching.min(other.matching),
            reporting: self.reporting.min(other.reporting),
        }
    }

    /// Adds a place where `steps` are taken and `kilobytes` of patterns tried.
    pub(super) fn add(&mut self, steps: u64, kilobytes: u64, text_bytes: u64, path_bytes: u64) {
        let add = |sum: &mut u64, each: u64, count: u64| {
            *sum = sum.saturating_add(each.saturating_mul(count));
        };
        add(&mut self.steps, steps, weight(text_bytes));
        add(&mut self.matching, kilobytes, text_bytes);
        add(&mut self.reporting, steps, weight(path_bytes));
    }

    /// Adds a place below which everything is read, so many `times`.
    pub(super) const fn read(&mut self, times: u64, below: u64) {
        self.steps = self.steps.saturating_add(times.saturating_mul(below));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn bill(steps: u64, matching: u64, reporting: u64) -> Bill {
        Bill {
            steps,
            matching,
            reporting,
        }
    }

    #[test]
    fn of_two_bills_the_lower_of_each_counts() {
        assert_eq!(bill(1, 5, 3).least(bill(4, 2, 6)), bill(1, 2, 3));
        assert_eq!(bill(4, 2, 6).least(bill(1, 5, 3)), bill(1, 2, 3));
    }

    #[test]
    fn a_bill_is_paid_and_reported_up_to_the_bound() {
        let (steps, matching) = (MAX_STEPS_PER_CALL, MAX_MATCHING_PER_CALL);
        assert!(bill(steps, matching, u64::MAX).is_payable());
        assert!(!bill(steps + 1, matching, 0).is_payable());
        assert!(!bill(steps, matching + 1, 0).is_payable());
        let steps = MAX_STEPS_PER_REPORT;
        assert!(bill(steps, u64::MAX, steps).is_reportable());
        assert!(!bill(steps + 1, 0, steps).is_reportable());
        assert!(!bill(steps, 0, steps + 1).is_reportable());
    }

    #[test]
    fn long_texts_and_long_pointers_weigh_more() {
        let mut sum = bill(10_000, 1_000, 100);
        sum.add(3, 5, 128, 64);
        assert_eq!(sum, bill(10_000 + 3 * 3, 1_000 + 5 * 128, 100 + 3 * 2));
        sum.read(7, 11);
        assert_eq!(sum.steps, 10_009 + 77);
        sum.add(u64::MAX, u64::MAX, 64, 64);
        assert_eq!(sum, bill(u64::MAX, u64::MAX, u64::MAX));
    }
}
