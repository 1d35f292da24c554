//! Plain data of the index.
//!
//! Times are in seconds since 1970. Text from chains and manifests is untrusted: it may contain NUL and control characters and is
//! stored unchanged. JSON is text that the indexer wrote; the store does not look into it.

use alloy_primitives::{Address, B256, U256};
use serde::{Deserialize, Serialize};

/// A registry: an ERC-8257 contract on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "plain data")]
pub struct RegistryKey {
    /// EIP-155 chain id, at most 2^53 - 1 as in a `ToolRef`.
    pub chain_id: u64,
    pub address: Address,
}

/// A tool of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolKey {
    pub registry: RegistryKey,
    pub id: U256,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Block {
    pub number: u64,
    pub hash: B256,
    pub time: u64,
}

macro_rules! stored_enum {
    ($(#[$attribute:meta])* $name:ident { $($(#[$variant_attribute:meta])* $variant:ident = $code:literal),* $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_attribute])* $variant,)*
        }

        impl $name {
            pub(super) const fn code(self) -> i64 {
                match self { $(Self::$variant => $code,)* }
            }

            pub(super) const fn from_code(code: i64) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

stored_enum! {
    /// State of an indexed registry.
    RegistryStatus {
        /// Old blocks are being read.
        Backfilling = 0,
        /// All blocks were read; new ones are followed.
        Following = 1,
        /// Indexing stopped; [`RegistryRecord::reason`] says why. The data is as of [`RegistryRecord::tip`].
        Halted = 2,
        /// Indexing stopped because the registry's code is not the pinned one. None of its tools is verified (K-04).
        CodeChanged = 3,
    }
}

stored_enum! {
    /// An event that the index stores.
    EventKind {
        /// `ToolRegistered`
        Registered = 0,
        /// `ToolMetadataUpdated`
        MetadataUpdated = 1,
        /// `AccessPredicateUpdated`
        PredicateUpdated = 2,
        /// `ToolDeregistered`
        Deregistered = 3,
        /// A predicate's configuration of a tool changed.
        Configured = 4,
        /// ERC-1967 `Upgraded` or `BeaconUpgraded` of a predicate.
        Upgraded = 5,
    }
}

stored_enum! {
    /// State of a tool on the chain.
    ToolState {
        /// Registered.
        Live = 0,
        /// The creator deregistered the tool. Permanent.
        Deregistered = 1,
        /// The registration left the chain in a reorg. Reads return no such tool; only the change feed does.
        Undone = 2,
    }
}

stored_enum! {
    /// Result of verification of the registered manifest hash.
    VerificationStatus {
        /// Not verified yet.
        Pending = 0,
        /// All four checks passed.
        Verified = 1,
        /// At least one check failed.
        Failed = 2,
        /// A check was inconclusive. It is tried again.
        Unknown = 3,
    }
}

stored_enum! {
    /// Who may call a tool, by the kind of its requirements.
    AccessType {
        /// No access predicate.
        Open = 0,
        /// A predicate whose requirements are of another kind, of several kinds, or not known (yet).
        Gated = 1,
        /// Requires an ERC-721 or ERC-1155 token.
        NftGated = 2,
        /// Requires an ERC-20 balance.
        TokenGated = 3,
        /// Requires a subscription.
        Subscription = 4,
    }
}

stored_enum! {
    /// What changed last about a tool.
    ChangeKind {
        /// The tool was registered.
        Registered = 0,
        /// `metadataURI` or the manifest hash changed.
        MetadataUpdated = 1,
        /// The access predicate changed.
        PredicateUpdated = 2,
        /// The tool was deregistered.
        Deregistered = 3,
        /// The registration left the chain in a reorg: forget the tool.
        Undone = 4,
        /// A reorg changed the tool.
        Reorged = 5,
        /// Verification has a new result.
        Verification = 6,
        /// The predicate or its requirements changed.
        Access = 7,
        /// Usage was recorded.
        Usage = 8,
        /// The projection was rebuilt.
        Rebuilt = 9,
    }
}

/// A registry to index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct NewRegistry {
    pub key: RegistryKey,
    /// Name for display; from configuration, not from the contract.
    pub name: String,
    /// Whether the address is pinned in the configuration as the chain's canonical registry (K-05).
    pub is_canonical: bool,
    /// First block to read.
    pub first_block: u64,
    /// `keccak256` of the code at first sight. Later values are compared with it (K-04).
    pub code_hash: B256,
    /// Proxy indicators of the registry as a JSON array; `[]` if there are none.
    pub proxy_indicators: String,
}

/// A registry and how far it was indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct RegistryRecord {
    pub key: RegistryKey,
    pub name: String,
    pub is_canonical: bool,
    pub first_block: u64,
    pub code_hash: B256,
    pub proxy_indicators: String,
    /// Changes with every batch; [`Batch::expected_version`].
    pub version: u64,
    /// Position of the event stream as JSON; `None` before the first batch.
    pub checkpoint: Option<String>,
    /// The last indexed block.
    pub tip: Option<Block>,
    /// The latest block of the node, when it was last read.
    pub head: u64,
    pub status: RegistryStatus,
    /// Why indexing halted, and what to do.
    pub reason: Option<String>,
    /// Time of the last batch or status change.
    pub updated_at: u64,
    /// Tools that were registered, deregistered ones included.
    pub tools: u64,
}

/// An event with its position. The payload depends on the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    #[expect(missing_docs, reason = "plain data")]
    pub kind: EventKind,
    /// Index of the log in its block.
    pub log_index: u64,
    #[expect(missing_docs, reason = "plain data")]
    pub transaction: B256,
    /// The emitting contract; `None`: the registry.
    pub address: Option<Address>,
    /// The tool; `None` for [`EventKind::Upgraded`].
    pub tool_id: Option<U256>,
    /// `Registered`.
    pub creator: Option<Address>,
    /// `Registered`, `PredicateUpdated`; `None`: open access.
    pub predicate: Option<Address>,
    /// `Registered`, `MetadataUpdated`.
    pub metadata_uri: Option<String>,
    /// `Registered`, `MetadataUpdated`: equal for URIs that are equal after normalization.
    pub uri_key: Option<UriKey>,
    /// `Registered`, `MetadataUpdated`.
    pub manifest_hash: Option<B256>,
    /// `Configured`, `Upgraded`: topics and data of the log.
    pub data: Vec<u8>,
}

/// Identifies a normalized `metadataURI`: the first 16 bytes of its hash.
pub type UriKey = [u8; 16];

/// Events of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct EventBlock {
    pub block: Block,
    pub events: Vec<Event>,
}

/// New blocks of a registry. Applied in one transaction.
#[derive(Clone, Debug)]
pub struct Batch {
    #[expect(missing_docs, reason = "plain data")]
    pub registry: RegistryKey,
    /// [`RegistryRecord::version`] that the batch was built on; another value is [`Error::Conflict`](crate::Error::Conflict).
    pub expected_version: u64,
    /// A reorg: blocks above this number left the chain; `None`: no reorg. `Some(None)`: every block left the chain.
    pub rewind: Option<Option<u64>>,
    /// Blocks with events, by ascending number. Blocks that are stored already are allowed.
    pub blocks: Vec<EventBlock>,
    /// The last block that was read, with or without events.
    pub tip: Block,
    /// The latest block of the node.
    pub head: u64,
    /// Position after the batch, as JSON.
    pub checkpoint: String,
    #[expect(missing_docs, reason = "plain data")]
    pub status: RegistryStatus,
    /// Time of the write.
    pub now: u64,
}

/// What a batch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Applied {
    /// [`RegistryRecord::version`] after the batch.
    pub version: u64,
    pub added_events: u64,
    /// Events that left the chain.
    pub undone_events: u64,
    pub changed_tools: u64,
}

/// A tool with what its index entry shows. The parts that only the chain defines can be recomputed from the events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolRecord {
    pub key: ToolKey,
    pub state: ToolState,
    pub creator: Address,
    /// Untrusted.
    pub metadata_uri: String,
    pub uri_key: UriKey,
    pub manifest_hash: B256,
    /// `None`: open access.
    pub predicate: Option<Address>,
    /// Block of the registration.
    pub registered: Block,
    /// Block of the last event of the tool in the registry.
    pub updated: Block,
    /// Updates of metadata or predicate.
    pub updates: u64,
    /// Position in the change feed.
    pub seq: u64,
    pub change: ChangeKind,
    pub access_type: AccessType,
    /// The status now. [`VerificationStatus::Verified`] only while the verdict counts: it is of this URI, hash and creator, it is not older
    /// than [`Self::fresh_until`], and the registry's code is the pinned one. A verdict that is too old is unknown.
    pub status: VerificationStatus,
    /// Number of the first failed or inconclusive check, 1 to 4.
    pub failing_check: Option<u8>,
    /// Time of the last verification of the current URI, manifest hash and creator.
    pub checked_at: Option<u64>,
    /// The last second in which that verification counts.
    pub fresh_until: Option<u64>,
    /// Time of the next verification; 0 if it is due.
    pub next_check_at: u64,
    /// What the served manifest says. A claim of whoever serves it unless [`Self::status`] is verified.
    pub listing: Option<Listing>,
    /// Risks that verification and re-verification found, by code (see [`Risk`]).
    pub risks: Vec<Risk>,
    /// Facts about the predicate; `None`: open access, or not evaluated yet.
    pub predicate_facts: Option<PredicateFacts>,
    /// Whether the predicate denies every account: paused or retired (K-08).
    pub always_denies: bool,
    /// Block time of the last `Upgraded` event of a predicate that the tool's predicate combines (K-03).
    pub terms_upgraded_at: Option<u64>,
    /// Other live tools with the same normalized `metadataURI`, counted up to [`MAX_DUPLICATES`] (K-21).
    pub duplicates: u64,
    /// Verified payments. Free calls are not counted: signatures cost nothing.
    pub usage_count: u64,
}

/// Duplicates are counted and listed up to this number.
pub const MAX_DUPLICATES: u64 = 100;

/// What a manifest says about its tool. Untrusted text of bounded length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "named after the members of the manifest")]
pub struct Listing {
    pub name: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    pub tags: Vec<String>,
    pub endpoint: Option<String>,
    /// Host of the endpoint in the form to show: Unicode if it is not confusable, punycode otherwise (K-15).
    pub endpoint_host: Option<String>,
    /// Host of the endpoint in ASCII.
    pub endpoint_host_ascii: Option<String>,
    /// Valid prices in the creator's order of preference.
    pub prices: Vec<ListedPrice>,
    /// Whether the manifest states prices that are not valid: then what the tool costs is not known.
    pub has_invalid_prices: bool,
    pub image: Option<String>,
    pub featured_image: Option<String>,
    /// The verifiability tier that the manifest claims.
    pub claimed_tier: Option<String>,
    /// The tier that its details support (K-13).
    pub effective_tier: Option<String>,
    /// Codes of inconsistencies of the verifiability object (K-13).
    pub tier_inconsistencies: Vec<String>,
    /// Names of schema properties of inputs and outputs, for search.
    pub properties: Vec<String>,
    /// Whether the manifest follows the manifest rules, beside the four checks.
    pub follows_rules: bool,
}

/// A price as in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named after the members of the manifest")]
pub struct ListedPrice {
    /// Decimal, in base units of the asset.
    pub amount: String,
    /// CAIP-19.
    pub asset: String,
    /// CAIP-10.
    pub recipient: String,
    pub protocol: String,
}

/// Something that raises the risk of a tool, with the time it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// Stable code, such as `certificate-issuer-changed`.
    pub code: String,
    /// What was observed.
    pub detail: String,
    #[expect(missing_docs, reason = "plain data")]
    pub since: u64,
}

/// A tool with everything the index knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolDetail {
    pub tool: ToolRecord,
    /// The last verification of the current URI, manifest hash and creator.
    pub verification: Option<Verification>,
    /// Bytes of the manifest, if they were fetched and match the registered hash.
    pub manifest: Option<Vec<u8>>,
    pub access: Option<ToolAccess>,
    /// Other live tools with the same `metadataURI`; at most [`MAX_DUPLICATES`].
    pub duplicates: Vec<ToolKey>,
}

/// Result of verifying a tool as it was registered: the verdict is about this URI, hash and creator only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Verification {
    pub metadata_uri: String,
    pub manifest_hash: B256,
    pub creator: Address,
    /// Never pending.
    pub status: VerificationStatus,
    /// Number of the first failed or inconclusive check, 1 to 4.
    pub failing_check: Option<u8>,
    /// The verdict as JSON: the four checks with evidence and remedy, the findings of the manifest rules.
    pub report: String,
    pub checked_at: u64,
    /// The last second in which a verified tool counts as verified (H-12, H-14).
    pub fresh_until: u64,
    /// Time of the next attempt.
    pub next_at: u64,
    /// Attempts without a conclusive result since the last one.
    pub attempts: u32,
    /// Canonical hash of the served manifest.
    pub served_hash: Option<B256>,
    /// Issuer of the server's certificate, and the start of its validity (K-12).
    pub certificate: Option<Certificate>,
    /// Name servers of the manifest's host, sorted (K-12). `None`: not known.
    pub name_servers: Option<Vec<String>>,
    pub listing: Option<Listing>,
    /// Difference to the previous manifest as JSON; `None` if there is no previous one.
    pub diff: Option<String>,
    pub risks: Vec<Risk>,
    /// Price honesty probe as JSON; `None` if it is off or not applicable.
    pub price_probe: Option<String>,
}

/// Parts of a server certificate that the index compares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Distinguished name of the issuer.
    pub issuer: String,
    /// Start of the validity.
    pub not_before: u64,
}

/// A verification to store.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct VerificationResult {
    pub key: ToolKey,
    pub verification: Verification,
    /// The served bytes, if their canonical hash is the registered one.
    pub manifest: Option<Vec<u8>>,
}

/// What a predicate contract is. Shared by all tools that use it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredicateFacts {
    /// Whether the address has code. Without code the tool is not yet available, never open (K-07).
    pub has_code: bool,
    /// `name()` of the contract: untrusted.
    pub name: Option<String>,
    /// Proxy indicators as a JSON array; `[]` if there are none (K-02).
    pub proxy_indicators: String,
    #[expect(missing_docs, reason = "plain data")]
    pub is_proxy: bool,
    /// Whether ERC-165 advertises `IAccessPredicate`; `None`: not known (K-06).
    pub advertises_interface: Option<bool>,
    /// Block time of the last `Upgraded` event since the predicate was first seen (K-03).
    pub upgraded_at: Option<u64>,
    /// Time of the evaluation.
    pub checked_at: u64,
}

/// Access requirements of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ToolAccess {
    pub predicate: Address,
    pub access_type: AccessType,
    /// The predicate's requirements as JSON (`atr_registry::Introspection`).
    pub requirements: String,
    /// Whether the predicate denies every account (paused or retired).
    pub always_denies: bool,
    pub checked_at: u64,
}

/// A predicate that the predicate of a tool combines with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateTerm {
    #[expect(missing_docs, reason = "plain data")]
    pub predicate: Address,
    /// Block time of its last `Upgraded` event since it was first seen.
    pub upgraded_at: Option<u64>,
}

/// An evaluation to store.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct AccessResult {
    pub key: ToolKey,
    pub access: ToolAccess,
    pub facts: PredicateFacts,
    /// Empty unless the predicate is a composite.
    pub terms: Vec<PredicateTerm>,
}

/// Order of a list of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "plain data")]
pub enum SortOrder {
    #[default]
    Newest,
    Oldest,
}

/// Which tools to list. Filters combine with "and".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct ListQuery {
    pub sort: SortOrder,
    pub chain_id: Option<u64>,
    pub registry: Option<RegistryKey>,
    /// One of these; empty: any.
    pub access_types: Vec<AccessType>,
    pub creator: Option<Address>,
    /// A tag of the listing, compared byte by byte.
    pub tag: Option<String>,
    pub verified_only: bool,
    pub include_deregistered: bool,
    /// 1 to [`MAX_PAGE`].
    pub limit: u32,
    /// [`Page::next`] of a query with the same filters.
    pub cursor: Option<String>,
}

/// Longest page of a list.
pub const MAX_PAGE: u32 = 200;

/// A page of a list.
///
/// Work per page is bounded: with filters that few tools match, a page can be shorter than the limit, even empty, and have a next
/// page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Opaque and tamper-evident; `None` on the last page.
    pub next: Option<String>,
}

/// An entry of the change feed: the last change of a tool. Earlier changes of the same tool are not kept, so the feed has one entry
/// per tool and its retention is unlimited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Change {
    /// Increases with every change; a later commit has a higher number.
    pub seq: u64,
    pub kind: ChangeKind,
    /// Time of the change in the index.
    pub at: u64,
    pub tool: ToolRecord,
}

/// Verifications that share workers. Each class has its own, so that slow servers of one class do not delay the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobClass {
    /// By the status of the tool's last verdict; pending: the first verification after a change.
    Status(VerificationStatus),
    /// Somebody asked for it.
    Requested,
}

/// Which jobs to claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    #[expect(missing_docs, reason = "plain data")]
    pub kind: JobKind,
    /// `None`: all. Evaluations have no classes.
    pub class: Option<JobClass>,
    /// Creators that have their share of the workers.
    pub busy_creators: &'a [Address],
    #[expect(missing_docs, reason = "plain data")]
    pub limit: u32,
    /// Time of the claim.
    pub now: u64,
    /// End of the lease.
    pub until: u64,
}

/// A verification or evaluation to do, leased to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Job {
    pub key: ToolKey,
    pub kind: JobKind,
    pub metadata_uri: String,
    pub manifest_hash: B256,
    pub creator: Address,
    pub predicate: Option<Address>,
    /// Block of the last event of the tool.
    pub updated: Block,
    /// The class of the claim.
    pub class: Option<JobClass>,
    /// Inconclusive attempts so far.
    pub attempts: u32,
    /// The last verification of this or an earlier manifest hash.
    pub previous: Option<Verification>,
}

impl Verification {
    /// Whether the verdict is about the tool of a job, as it is registered now.
    #[must_use]
    pub fn is_of(&self, job: &Job) -> bool {
        self.metadata_uri == job.metadata_uri
            && self.manifest_hash == job.manifest_hash
            && self.creator == job.creator
    }
}

/// Kind of a [`Job`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// The four checks.
    Verification,
    /// Predicate facts and requirements.
    Access,
}

/// A verified use of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRecord {
    #[expect(missing_docs, reason = "plain data")]
    pub key: ToolKey,
    /// Chain of the payment or signature.
    pub chain_id: u64,
    /// Unique on that chain: a transaction hash, or asset, caller and nonce of an authorization.
    pub unique: Vec<u8>,
    /// `signature` or `settlement`.
    pub verification_type: String,
    /// The account that used the tool.
    pub caller: Address,
    #[expect(missing_docs, reason = "plain data")]
    pub transaction: Option<B256>,
    /// The token that was paid with, and the amount in its base units.
    pub payment: Option<(Address, U256)>,
    /// Time of the use.
    pub used_at: u64,
}

/// An entry of a tool's activity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct UsageEntry {
    pub id: u64,
    pub record: UsageRecord,
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedUsage {
    /// It is new; its id.
    New(u64),
    /// The same proof was recorded before, for this tool.
    Known(ToolKey),
}

/// Totals of a tool's usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct UsageStats {
    /// Payments.
    pub count: u64,
    /// Free calls.
    pub authorized: u64,
    /// Accounts that paid.
    pub callers: u64,
    pub first_at: Option<u64>,
    pub last_at: Option<u64>,
}

/// State of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct IndexStatus {
    pub registries: Vec<RegistryRecord>,
    /// The highest number of the change feed.
    pub seq: u64,
    /// Live tools by verification status: pending, verified, failed, unknown.
    pub by_status: [u64; 4],
    /// Verifications and evaluations that are due.
    pub due_jobs: u64,
}

/// An event as it was stored, for the history of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct StoredEvent {
    pub block: Block,
    pub event: Event,
}

/// A tool whose stored projection is not the one its events give.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Difference {
    pub key: ToolKey,
    /// The columns that differ, with the stored and the recomputed value.
    pub detail: String,
}

/// Result of recomputing the projection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Rebuild {
    /// Events in the chain.
    pub events: u64,
    pub tools: u64,
    /// Number of tools that differ.
    pub differing: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
}
