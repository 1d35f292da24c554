#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod account_id;
mod asset_id;
mod chain_id;
mod decimal;
mod display_host;
mod error;
mod hex_text;
mod https_url;
mod label;
mod metadata_uri;
mod origin;
mod sanitize;
mod slug;
mod tag;
mod tool_ref;

pub use account_id::AccountId;
pub use asset_id::AssetId;
pub use chain_id::ChainId;
pub use decimal::{MAX_DECIMAL_DIGITS, parse_decimal};
pub use display_host::display_host;
pub use error::Error;
pub use hex_text::{is_lowercase_hex, parse_address, parse_checksummed_address};
pub use https_url::HttpsUrl;
pub use metadata_uri::{MAX_METADATA_URI_BYTES, MetadataUri};
pub use origin::Origin;
pub use sanitize::{excerpt, excerpt_with_limit, is_printable, sanitize};
pub use slug::{MAX_SLUG_CHARACTERS, Slug};
pub use tag::{MAX_TAG_CODE_POINTS, Tag};
pub use tool_ref::ToolRef;
