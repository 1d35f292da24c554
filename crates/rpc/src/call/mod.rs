//! Read-only calls of contracts.

mod eth_call;
mod multicall;

pub use eth_call::{BlockView, CallResult, call_request, execution_failure};
pub use multicall::call_all;
