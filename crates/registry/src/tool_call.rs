//! Calls that concern a tool.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;

use crate::Call;

/// Describes a call with the tool it concerns.
pub(crate) trait ToolCall {
    /// A call described as `setCollections for tool 7`.
    fn for_tool<C: SolCall>(to: Address, call: &C, tool_id: U256) -> Self;
}

impl ToolCall for Call {
    fn for_tool<C: SolCall>(to: Address, call: &C, tool_id: U256) -> Self {
        let call = Self::new(to, call);
        Self {
            description: format!("{} for tool {tool_id}", call.description),
            ..call
        }
    }
}
