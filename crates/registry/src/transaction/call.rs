//! A state-changing call to a contract.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use serde::Serialize;

/// A call to a contract, not yet sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct Call {
    pub to: Address,
    /// Call data.
    pub data: Bytes,
    /// The function and the tool, for example `registerTool` or `setCollections for tool 7`.
    pub description: String,
}

impl Call {
    /// A call that does not concern an existing tool.
    pub(crate) fn new<C: SolCall>(to: Address, call: &C) -> Self {
        Self {
            to,
            data: call.abi_encode().into(),
            description: function_name::<C>().to_owned(),
        }
    }

    pub(crate) fn for_tool<C: SolCall>(to: Address, call: &C, tool_id: U256) -> Self {
        Self {
            description: format!("{} for tool {tool_id}", function_name::<C>()),
            ..Self::new(to, call)
        }
    }
}

fn function_name<C: SolCall>() -> &'static str {
    C::SIGNATURE.split('(').next().unwrap_or(C::SIGNATURE)
}
