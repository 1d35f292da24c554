//! What gas a call may take: never less than it does. Of answers, not much more.
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

/// Two logs, with their topics and their words.
pub(super) const LOG: u64 = 5_000;

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

/// Asking the registry who created a tool: it tells all of it.
pub(super) const fn of_knowing_the_creator(longest_uri: usize) -> u64 {
    COLD_ACCOUNT + OLD_SLOT * (slots(longest_uri) + 3)
}

/// Setting a predicate up, with one slot that is written: per byte, what the call brings is checked, copied and logged.
pub(super) const fn of_setting(data: &[u8]) -> u64 {
    of_data(data) + NEW_SLOT + 30 * data.len() as u64 + LOG
}

/// Keeping what the call brings as code.
pub(super) const fn of_list(data: &[u8]) -> u64 {
    32_000 + 200 * data.len() as u64
}

/// Telling so much that is stored.
pub(super) const fn of_telling(returned: usize) -> u64 {
    15_000 + 40 * returned as u64
}

/// What a composite gives each term to tell what it requires (`ICompositePredicate.GAS_PER_INTROSPECTION`).
pub(super) const INTROSPECTION: u64 = 300_000;

/// Having a term tell that takes this much to return so many bytes: the composite calls itself, which calls the term, reads
/// what comes back and hands it on. It keeps a 64th.
pub(super) const fn of_introspecting(telling: u64, returned: usize) -> u64 {
    telling.saturating_add(5_500 + telling / 63 + 20 * returned as u64)
}

/// What a composite makes of that, and its part of what it returns in the end.
pub(super) const fn of_passing_on(returned: usize) -> u64 {
    4_000 + 20 * returned as u64
}

/// What must be left on top of a stipend when a question is put: a caller keeps 1/64, and a margin.
const fn to_spare(stipend: u64) -> u64 {
    stipend / 63 + 500
}
