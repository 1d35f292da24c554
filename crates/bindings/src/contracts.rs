//! The contracts we deploy: generated types and the code itself.

use alloy_sol_types::sol;

use crate::ContractCode;

sol!(
    #[sol(all_derives)]
    ToolRegistry,
    "artifacts/ToolRegistry.json"
);

/// The registry. Its constructor takes no arguments.
pub static TOOL_REGISTRY: ContractCode = ContractCode::new(
    "ToolRegistry",
    &ToolRegistry::BYTECODE,
    &ToolRegistry::DEPLOYED_BYTECODE,
);

/// Every contract that can be deployed from here, by name.
pub static CONTRACTS: [&ContractCode; 1] = [&TOOL_REGISTRY];
