//! What gas an answer may take: never less than it does, and not much more.
//!
//! The contracts ask with stipends that are given in full or not at all. So with this much gas a predicate does what its
//! model says, however those misbehave that it asks.

use alloy_primitives::Address;

use super::Around;

/// An access to an account that nobody has touched yet in the transaction.
const COLD_ACCOUNT: u64 = 2_600;

/// From the call to the first question: finding the function, two slots, a list kept as code; and reading `data`, which is
/// copied into a question.
pub(super) const fn of_data(data: &[u8]) -> u64 {
    8_000 + 8 * data.len() as u64
}

/// Questions put to these, one after the other, with this stipend each.
pub(super) fn of_questions(
    around: Around<'_>,
    targets: impl IntoIterator<Item = Address>,
    stipend: u64,
) -> u64 {
    let (mut used, mut needed) = (0, 0);
    for target in targets {
        used += COLD_ACCOUNT + 400;
        // The stipend must be there in full, even if little of it is used.
        needed = used + stipend + to_spare(stipend);
        used += around.appetite(target).min(stipend);
    }
    needed.max(used)
}

/// What must be left on top of a stipend when a question is put: a caller keeps 1/64, and a margin.
const fn to_spare(stipend: u64) -> u64 {
    stipend / 63 + 500
}
