//! The contracts in `contracts/src/periphery` that Rust code uses. `atr deploy` does not deploy them.

use alloy_sol_types::sol;

use crate::ContractCode;

sol!(
    #[sol(all_derives)]
    GasProbe,
    "artifacts/GasProbe.json"
);

/// Measures the gas of a call. Run by `eth_call` without `to`. Its constructor takes the target, the stipend and the call data, and
/// reverts with [`GasProbe::Measured`].
pub static GAS_PROBE: ContractCode = ContractCode::new(
    "GasProbe",
    &GasProbe::BYTECODE,
    &GasProbe::DEPLOYED_BYTECODE,
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
