//! Limits of ERC-8257. Names include the unit, because units differ between members (T-16).

/// Size of a manifest as served (ERC-8257, Manifest Parser Hardening).
pub const MAX_MANIFEST_BYTES: usize = 1_048_576;

/// Nesting depth of the document, including the root. The ERC limits schemas only; an extension could be nested 100,000 levels deep (T-15).
pub const MAX_DEPTH: usize = 128;

/// Length of `name`.
pub const MAX_NAME_CODE_POINTS: usize = 128;

/// Length of `description` and `verifiability.description`.
pub const MAX_DESCRIPTION_CODE_POINTS: usize = 500;

/// Number of `tags`.
pub const MAX_TAGS: usize = 16;

/// Length of `image`, of a link URL and of a link name.
pub const MAX_URL_BYTES: usize = 2_048;

/// Link names longer than this cause a warning (T-29).
pub const LONG_LINK_NAME_BYTES: usize = 64;

/// Number of `pricing` entries.
pub const MAX_PRICING_ENTRIES: usize = 32;

/// Number of `access.requirements`.
pub const MAX_REQUIREMENTS: usize = 256;

/// Decoded length of a requirement's `data`.
pub const MAX_REQUIREMENT_DATA_BYTES: usize = 4_096;

/// Length of a requirement's `label`.
pub const MAX_LABEL_BYTES: usize = 256;

/// Nesting depth of a schema (T-30).
pub const MAX_SCHEMA_DEPTH: usize = 16;

/// Number of nodes of `inputs` and `outputs` together (T-30).
pub const MAX_SCHEMA_NODES: usize = 1_024;

/// JavaScript's `Number.MAX_SAFE_INTEGER`, 2^53-1 (T-14).
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
