#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

pub mod bridge;
mod card;
mod check;
mod checksum;
pub mod cid;
mod code;
mod config;
mod content;
mod finding;
mod profile;
pub mod receipt;
mod release;
mod report;
mod rules;
mod timestamp;
pub mod txt;

pub use card::{Card, Class};
pub use check::Check;
pub use checksum::Checksum;
pub use code::Code;
pub use config::{Config, SchemaKind, SchemaRelease, SchemaReleases, VerbLists};
pub use content::{ContentFindings, scan};
pub use finding::Finding;
pub use profile::Profile;
pub use release::{Change, ReleaseComparison, compare_releases};
pub use report::{MAX_FINDINGS, ProfileReport, Report, Status, validate};
pub use rules::{check_schema, compare_mirror};
pub use timestamp::Timestamp;
