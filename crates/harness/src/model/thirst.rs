//! What gas an answer may take: never less than it does, and not much more.
//!
//! The contracts ask with stipends that are given in full or not at all. So with this much gas a predicate does what its
//! model says, however those misbehave that it asks.

use alloy_primitives::Address;

use super::Around;

/// An access to an account that nobody has touched yet in the transaction.
const COLD_ACCOUNT: u64 = 2_600;

/// What must be left for each ERC-165 question (`ConstantsLib`).
pub(super) const PROBE: u64 = 33_700;

/// Writing a slot that was empty and not looked at before (EIP-2200, EIP-2929).
pub(super) const NEW_SLOT: u64 = 22_100;

/// Reading or clearing one, and handling what it holds.
pub(super) const OLD_SLOT: u64 = 5_500;

/// How many slots so many bytes fill.
pub(super) const fn slots(bytes: usize) -> u64 {
    bytes.div_ceil(32) as u64
}

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

/// Setting a predicate up: asking the registry whose tool it is, which tells all of it; storing what the call brings as code; a
/// slot; the log. `probes` ERC-165 questions on the way.
pub(super) fn of_setting(data: &[u8], longest_uri: usize, probes: u64) -> u64 {
    let whose = COLD_ACCOUNT + OLD_SLOT * (slots(longest_uri) + 3);
    let as_code = 32_000 + 200 * data.len() as u64;
    // Per byte: checked, copied and logged.
    let handled = 30 * data.len() as u64;
    of_data(data) + whose + probes * PROBE + as_code + NEW_SLOT + handled + 5_000
}

/// Telling so much that is stored.
pub(super) const fn of_telling(returned: usize) -> u64 {
    15_000 + 40 * returned as u64
}

/// What must be left on top of a stipend when a question is put: a caller keeps 1/64, and a margin.
const fn to_spare(stipend: u64) -> u64 {
    stipend / 63 + 500
}
