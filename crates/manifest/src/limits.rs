//! Every number with a clause behind it, unit in the name (T-16: units differ from field to field).

/// Bytes of a manifest as served (ERC-8257, Manifest Parser Hardening).
pub const MAX_MANIFEST_BYTES: usize = 1_048_576;

/// Objects and arrays inside one another, the root included. The ERC caps the schemas only; an extension could nest 100,000 deep (T-15).
pub const MAX_DEPTH: usize = 128;

/// Code points of `name`.
pub const MAX_NAME_CODE_POINTS: usize = 128;

/// Code points of `description` and of `verifiability.description`.
pub const MAX_DESCRIPTION_CODE_POINTS: usize = 500;

/// Entries of `tags`.
pub const MAX_TAGS: usize = 16;

/// Bytes of `image`, of a link and of a link's name.
pub const MAX_URL_BYTES: usize = 2_048;

/// Bytes of a link's name from which on we advise a shorter one (T-29).
pub const LONG_LINK_NAME_BYTES: usize = 64;

/// Entries of `pricing`.
pub const MAX_PRICING_ENTRIES: usize = 32;

/// Entries of `access.requirements`.
pub const MAX_REQUIREMENTS: usize = 256;

/// Bytes of a requirement's `data` once decoded.
pub const MAX_REQUIREMENT_DATA_BYTES: usize = 4_096;

/// Bytes of a requirement's `label`.
pub const MAX_LABEL_BYTES: usize = 256;

/// Levels of a schema (T-30).
pub const MAX_SCHEMA_DEPTH: usize = 16;

/// Nodes of `inputs` and `outputs` together (T-30).
pub const MAX_SCHEMA_NODES: usize = 1_024;

/// The largest integer whose neighbours a double can tell apart (T-14).
pub const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
