//! Read-only access to a node.

mod eth_call;
mod multicall;

pub(crate) use eth_call::{BlockView, CallResult, call_request, execution_failure};
pub(crate) use multicall::call_all;
