#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod access_hint;
mod canonical;
mod code;
mod document;
mod error;
mod findings;
mod hash;
mod image;
mod limits;
mod manifest;
mod nfc;
mod parse;
mod pointer;
mod policy;
mod pricing;
mod rules;
mod schema;
mod seconds;
mod summary;
mod utf16_order;
mod verifiability;
mod violation;

pub use access_hint::{AccessHint, AccessLogic, RequirementHint};
pub use canonical::CanonicalBytes;
pub use code::Code;
pub use document::{Document, Kind, Value};
pub use error::{Error, TextPosition};
pub use findings::Findings;
pub use hash::ManifestHash;
pub use image::{Image, ImageError};
pub use limits::*;
pub use manifest::{CATEGORY_TAGS, CheckedDocument, MANIFEST_TYPE, Manifest};
pub use nfc::{supports_unicode_16, to_nfc};
pub use pointer::Pointer;
pub use policy::{Policy, Role};
pub use pricing::{Offer, Price};
pub use rules::{RULES, Rule, check};
pub use schema::{SchemaSize, remote_refs, size as schema_size};
pub use summary::ManifestSummary;
pub use verifiability::{
    Attestation, AttestationEvidence, DataRetention, Execution, ReproducibleBuild,
    SourceVisibility, Tier, Verifiability,
};
pub use violation::Violation;
