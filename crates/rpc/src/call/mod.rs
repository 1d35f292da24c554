//! Read-only calls of contracts.

mod batch;
mod eth_call;
mod multicall;

pub use batch::call_batch;
pub use eth_call::{BlockView, CallResult, call_request, execution_failure};
pub use multicall::call_all;
