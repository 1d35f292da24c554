//! Every bound of this crate, unit in the name.
//!
//! The ERC bounds how large a schema is (16 levels, 1,024 nodes), not what it costs: `allOf` of two references to the next
//! definition, three hundred times over, is small and takes 2^300 steps. The unit here is a step: one keyword, or one entry of
//! a keyword's list, looked at once.

/// Steps a schema may take at any one place of a call, whatever the call. Without references or with ordinary recursion a
/// schema stays far below: each of its keywords is looked at once where it applies.
pub const MAX_STEPS_PER_PLACE: u64 = 16_384;

/// Schemas that may be in progress inside one another, whatever the call. Each is a few stack frames, and the stack of a thread
/// may be as small as 2 MiB. A call has at most 128 levels, so recursion may take eight schemas to a level.
pub const MAX_NESTED_SCHEMAS: u64 = 1_024;

/// Places that may be compiled again for those who ask what was evaluated: keywords and entries, whatever asks counted with
/// all behind its references.
pub const MAX_UNFOLDED_PLACES: u64 = 1 << 15;

/// Schemas that may be in the middle of being compiled inside one another. Not optimised, the worst takes 10 KiB of the stack;
/// half of what a thread of 2 MiB has is for whoever calls.
pub const MAX_COMPILING_SCHEMAS: u64 = 80;

/// Bytes of a compiled schema, its patterns aside: what is copied, and a pointer for each keyword and each entry. The longest
/// schema with short names stays below.
pub const MAX_COMPILED_BYTES: u64 = 32 << 20;

/// Additions one level of a call may take when the cost of a schema is found out; there are 128 levels.
pub const MAX_MERGES_PER_LEVEL: u64 = 1 << 18;

/// Steps one call may take, as far as its shape tells beforehand. Up to a second and a half, optimised.
pub const MAX_STEPS_PER_CALL: u64 = 1 << 26;

/// Steps up to which all mismatches are collected; past it a call that does not match is told so in one line. The validator
/// collects before it hands out, so a stranger's call could otherwise fill the memory with its own faults.
pub const MAX_STEPS_PER_REPORT: u64 = 1 << 18;

/// Mismatches that are reported of one call.
pub const MAX_MISMATCHES: usize = 64;

/// Characters of a message.
pub const MAX_MESSAGE_CHARACTERS: usize = 240;

/// Characters of the pointer to a rule. Names in a schema are as long as its author likes.
pub const MAX_RULE_CHARACTERS: usize = 1_024;

/// Bytes of a compiled pattern. Sixty-four letters of any script take most of it, an address four kilobytes.
pub const MAX_PATTERN_BYTES: usize = 4 << 20;

/// Different patterns of a schema.
pub const MAX_PATTERNS: usize = 256;

/// Bytes of all compiled patterns of a schema.
pub const MAX_PATTERNS_BYTES: usize = 16 << 20;

/// Kilobytes of patterns times bytes of text, summed over the strings and names of a call, as far as its shape tells
/// beforehand. A linear-time matcher takes at most the product. The worst pattern makes this two seconds; an address may
/// still be looked for in half a megabyte.
pub const MAX_MATCHING_PER_CALL: u64 = 1 << 23;

/// Bytes of states all patterns of a schema may keep while they run, for each thread.
pub const MAX_PATTERNS_CACHE_BYTES: usize = 64 << 20;

/// Bytes of states one of them may keep.
pub const MAX_PATTERN_CACHE_BYTES: usize = 1 << 20;
