//! Models of the nine predicates.

mod access_proof;
mod always_deny;
mod composite;
mod composition;
mod erc1155_owner;
mod erc20_balance;
mod erc721_owner;
mod merkle_allowlist;
mod predicate;
mod requirements;
mod stipends;
mod stored;
mod subscription;
mod term_data;
mod tool_configs;
mod trait_gated;

pub use access_proof::{AccessProof, access_proof_digest, recover};
pub use always_deny::AlwaysDeny;
pub use composite::Composite;
pub use erc20_balance::Erc20Balance;
pub use erc721_owner::Erc721Owner;
pub use erc1155_owner::Erc1155Owner;
pub use merkle_allowlist::MerkleAllowlist;
pub use predicate::{BoxClone, ModelResult, Predicate, TermCall};
pub(crate) use predicate::{read_access_call, view};
pub use requirements::{ClauseRequirements, Requirements};
pub use stipends::Failure;
pub use stored::{Slots, Stored};
pub use subscription::Subscription;
pub use tool_configs::ToolConfigs;
pub use trait_gated::TraitGated;
