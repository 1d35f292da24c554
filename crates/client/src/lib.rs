#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod arguments;
mod call;
mod demand;
mod error;
mod ledger;
mod policy;
mod result;
mod settlement;
mod warnings;

pub use arguments::{Arguments, Prefill, PrefillKind};
pub use call::{Call, Client, FreshTool, INVOCATION_LIMITS};
pub use demand::{Demand, Difference};
pub use error::Error;
pub use ledger::{Authorized, Ledger, LedgerEntry, LedgerError, PaymentState};
pub use policy::{IdentityPolicy, PolicyViolation, SpendPolicy};
pub use result::{CallResult, ToolResponse};
pub use settlement::{AuthorizationState, authorization_state};
pub use warnings::{Warning, warnings};
