//! Responses: what every surface of the API returns.
//!
//! The names of the members are those that existing clients read. All text from manifests and contracts is untrusted: its length is
//! bounded, and control and bidirectional characters are replaced. Schemas in `inputs` and `outputs` are passed on unchanged.

mod access;
mod changes;
mod history;
pub(crate) mod manifest;
mod pricing;
mod status;
mod tool;
mod usage;
mod verification;

pub use access::{Access, Requirement};
pub use changes::{ChangePage, ToolChange};
pub use history::HistoryEntry;
pub use pricing::PricingRecipient;
pub(crate) use pricing::usdc_assets;
pub use status::{RegistryState, Status};
pub use tool::{
    Risk, SearchPage, SearchResult, Tool, ToolItem, ToolPage, Trust, VerificationStatus,
    VerificationSummary,
};
pub(crate) use tool::{access_type_name, asset_key, costs_at_most, is_verified, key, reference};
pub use usage::{
    Activity, ActivityEntry, Eip3009Report, Integer, SettlementReport, UsageReceipt, UsageReport,
    UsageTotals,
};
pub use verification::{CertificateInfo, CheckOutcome, VerificationReport, VerificationRequest};
