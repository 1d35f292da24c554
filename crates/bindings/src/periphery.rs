//! The contracts in `contracts/src/periphery` that Rust code uses. No registry or predicate needs them.

use alloy_sol_types::sol;

use crate::ContractCode;

sol!(
    #[sol(all_derives)]
    Lens,
    "artifacts/Lens.json"
);

sol!(
    #[sol(all_derives)]
    DeploylessCall,
    "artifacts/DeploylessCall.json"
);

/// Reads tools and measures calls in one call.
pub static LENS: ContractCode =
    ContractCode::new("Lens", &Lens::BYTECODE, &Lens::DEPLOYED_BYTECODE);

/// Calls a contract that is not deployed. Run by `eth_call` without `to`. Its constructor takes creation code and call data, and
/// returns what the call returns.
pub static DEPLOYLESS_CALL: ContractCode = ContractCode::new(
    "DeploylessCall",
    &DeploylessCall::BYTECODE,
    &DeploylessCall::DEPLOYED_BYTECODE,
);

sol!(
    #[sol(all_derives)]
    RegistrationScript,
    "artifacts/RegistrationScript.json"
);

/// Registers a tool and configures its predicates in one transaction. Run by `delegatecall`, or as an EIP-7702 delegate.
pub static REGISTRATION_SCRIPT: ContractCode = ContractCode::new(
    "RegistrationScript",
    &RegistrationScript::BYTECODE,
    &RegistrationScript::DEPLOYED_BYTECODE,
);
