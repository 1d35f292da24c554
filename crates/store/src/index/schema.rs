//! Tables of the index, for both databases.
//!
//! Integers are 64-bit. Text is stored as UTF-8 bytes: PostgreSQL's `TEXT` rejects NUL, which text from chains can contain. A
//! `uint256` is 32 bytes, big-endian, so that it sorts by value.

/// Statements of each schema version, from version 1 on. Never change an entry after a release: add one.
///
/// Placeholders: `INT`, `BYTES`, `IDENTITY` (an integer key that the database assigns), `CLUSTERED` (SQLite stores the rows in the
/// order of the primary key).
pub(super) const MIGRATIONS: &[&[&str]] = &[VERSION_1, VERSION_2];

const VERSION_1: &[&str] = &[
    "CREATE TABLE registries (
        id IDENTITY,
        chain_id INT NOT NULL,
        address BYTES NOT NULL,
        name BYTES NOT NULL,
        is_canonical INT NOT NULL,
        first_block INT NOT NULL,
        code_hash BYTES NOT NULL,
        proxy_indicators BYTES NOT NULL,
        version INT NOT NULL,
        checkpoint BYTES,
        tip_number INT,
        tip_hash BYTES,
        tip_time INT,
        head INT NOT NULL,
        status INT NOT NULL,
        reason BYTES,
        updated_at INT NOT NULL,
        tools INT NOT NULL,
        UNIQUE (chain_id, address)
    )",
    // A block of a registry's event stream that has events. A reorg clears `canonical`.
    "CREATE TABLE blocks (
        id INT PRIMARY KEY,
        registry_id INT NOT NULL,
        number INT NOT NULL,
        hash BYTES NOT NULL,
        time INT NOT NULL,
        canonical INT NOT NULL,
        UNIQUE (registry_id, hash)
    )",
    "CREATE INDEX blocks_by_number ON blocks (registry_id, number)",
    // Append-only. `block_id` stands for chain and block hash.
    "CREATE TABLE events (
        block_id INT NOT NULL,
        log_index INT NOT NULL,
        registry_id INT NOT NULL,
        kind INT NOT NULL,
        tool_id BYTES,
        tx BYTES NOT NULL,
        address BYTES,
        creator BYTES,
        predicate BYTES,
        uri BYTES,
        uri_key BYTES,
        manifest_hash BYTES,
        data BYTES,
        PRIMARY KEY (block_id, log_index)
    ) CLUSTERED",
    "CREATE INDEX events_by_tool ON events (registry_id, tool_id, block_id)",
    "CREATE INDEX events_by_address ON events (registry_id, address) WHERE address IS NOT NULL",
    // Up to `updates`: the projection of the canonical events. `status` to `checked_at` are those of the verdict, for lists and counts;
    // `verdict.rs` says whether it counts.
    "CREATE TABLE tools (
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        state INT NOT NULL,
        creator BYTES NOT NULL,
        uri BYTES NOT NULL,
        uri_key BYTES NOT NULL,
        manifest_hash BYTES NOT NULL,
        predicate BYTES,
        registered_block INT NOT NULL,
        registered_at INT NOT NULL,
        updated_block INT NOT NULL,
        updates INT NOT NULL,
        seq INT NOT NULL,
        change INT NOT NULL,
        changed_at INT NOT NULL,
        access_type INT NOT NULL,
        always_denies INT NOT NULL,
        access_at INT,
        status INT NOT NULL,
        failing_check INT,
        checked_at INT,
        fresh_until INT,
        next_at INT NOT NULL,
        requested INT NOT NULL,
        usage_count INT NOT NULL,
        PRIMARY KEY (registry_id, tool_id)
    ) CLUSTERED",
    "CREATE INDEX tools_by_time ON tools (registered_at, registry_id, tool_id)",
    "CREATE INDEX tools_by_creator ON tools (creator, registered_at, registry_id, tool_id)",
    "CREATE INDEX tools_gated ON tools (access_type, registered_at, registry_id, tool_id) WHERE access_type > 0",
    "CREATE INDEX tools_verified ON tools (registered_at, registry_id, tool_id) WHERE status = 1 AND state = 0",
    "CREATE INDEX tools_verified_by_type ON tools (access_type, registered_at, registry_id, tool_id)
        WHERE status = 1 AND state = 0",
    "CREATE UNIQUE INDEX tools_by_seq ON tools (seq)",
    "CREATE INDEX tools_by_uri ON tools (uri_key)",
    "CREATE INDEX tools_by_predicate ON tools (predicate) WHERE predicate IS NOT NULL",
    "CREATE INDEX tools_due ON tools (status, next_at) WHERE state = 0",
    "CREATE INDEX tools_requested ON tools (next_at) WHERE requested > 0 AND state = 0",
    "CREATE INDEX tools_access_due ON tools (access_at) WHERE access_at IS NOT NULL",
    // The columns that lists read come before the long ones.
    "CREATE TABLE verifications (
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        manifest_hash BYTES NOT NULL,
        uri BYTES NOT NULL,
        creator BYTES NOT NULL,
        status INT NOT NULL,
        failing_check INT,
        checked_at INT NOT NULL,
        fresh_until INT NOT NULL,
        next_at INT NOT NULL,
        attempts INT NOT NULL,
        risks BYTES NOT NULL,
        listing BYTES,
        served_hash BYTES,
        certificate_issuer BYTES,
        certificate_not_before INT,
        diff BYTES,
        price_probe BYTES,
        report BYTES NOT NULL,
        PRIMARY KEY (registry_id, tool_id, manifest_hash)
    )",
    "CREATE TABLE manifests (hash BYTES PRIMARY KEY, content BYTES NOT NULL)",
    "CREATE TABLE predicates (
        chain_id INT NOT NULL,
        address BYTES NOT NULL,
        facts BYTES NOT NULL,
        PRIMARY KEY (chain_id, address)
    )",
    "CREATE TABLE tool_access (
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        predicate BYTES NOT NULL,
        access_type INT NOT NULL,
        always_denies INT NOT NULL,
        checked_at INT NOT NULL,
        requirements BYTES NOT NULL,
        PRIMARY KEY (registry_id, tool_id)
    )",
    "CREATE TABLE tool_tags (
        tag BYTES NOT NULL,
        registered_at INT NOT NULL,
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        PRIMARY KEY (tag, registered_at, registry_id, tool_id)
    ) CLUSTERED",
    "CREATE INDEX tool_tags_by_tool ON tool_tags (registry_id, tool_id)",
    "CREATE TABLE usage_records (
        id IDENTITY,
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        chain_id INT NOT NULL,
        unique_key BYTES NOT NULL,
        verification_type BYTES NOT NULL,
        caller BYTES NOT NULL,
        tx BYTES,
        asset BYTES,
        amount BYTES,
        used_at INT NOT NULL,
        UNIQUE (chain_id, unique_key)
    )",
    "CREATE INDEX usage_by_tool ON usage_records (registry_id, tool_id, used_at)",
];

const VERSION_2: &[&str] = &[
    // Names, separated by spaces.
    "ALTER TABLE verifications ADD COLUMN name_servers BYTES",
    // Predicates that the predicate of a tool combines, and the time of their last upgrade.
    "ALTER TABLE tools ADD COLUMN terms_upgraded_at INT",
    "CREATE TABLE predicate_terms (
        registry_id INT NOT NULL,
        tool_id BYTES NOT NULL,
        predicate BYTES NOT NULL,
        PRIMARY KEY (registry_id, tool_id, predicate)
    ) CLUSTERED",
    "CREATE INDEX predicate_terms_by_predicate ON predicate_terms (predicate)",
];

/// One row: the schema version, counters, and the key of cursors. Updating the counters locks the row until the transaction ends,
/// so a later commit always has higher sequence numbers.
pub(super) const META: &str = "CREATE TABLE IF NOT EXISTS index_meta (
    id INT PRIMARY KEY,
    version INT NOT NULL,
    seq INT NOT NULL,
    last_block INT NOT NULL,
    cursor_key BYTES NOT NULL
)";

/// Replaces the placeholders.
pub(super) fn statement(
    template: &str,
    int: &str,
    bytes: &str,
    identity: &str,
    clustered: &str,
) -> String {
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(start) = rest.find(|c: char| c.is_ascii_uppercase()) {
        let (before, from) = rest.split_at(start);
        let end = from
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        text.push_str(before);
        text.push_str(match word {
            "INT" => int,
            "BYTES" => bytes,
            "IDENTITY" => identity,
            "CLUSTERED" => clustered,
            word => word,
        });
        rest = after;
    }
    text.push_str(rest);
    text
}
