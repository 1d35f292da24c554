//! Runs a deployment on the chain's EVM before anything is paid.

use alloy::rpc::types::{
    TransactionInput, TransactionRequest,
    state::{AccountOverride, StateOverride},
};
use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use alloy_sol_types::{SolCall, SolError, SolValue, sol};
use atr_bindings::RegistrationScript::{NotDelegated, registerToolCall};
use atr_rpc::{CallResult, Node, call_request};

use super::ContractState;
use crate::{
    Error, FACTORY, FactoryTransaction, Target,
    factory::{self, FACTORY_CODE},
    suite,
};

sol! {
    function version() external view returns (string);
}

/// Gas to deploy a contract, or the reason why the deployment fails. A missing factory is simulated.
pub(super) async fn deployment(
    node: &Node,
    salt: B256,
    target: &Target,
    sender: Option<Address>,
    factory: ContractState,
) -> Result<Result<u64, String>, Error> {
    let data = factory::call_data(salt, target.init_code());
    let request = TransactionRequest {
        from: sender,
        to: Some(FACTORY.into()),
        input: TransactionInput::both(data),
        ..Default::default()
    };
    let overrides = (factory == ContractState::Missing).then(|| with_code(FACTORY, FACTORY_CODE));
    let created = node.simulate(request.clone(), overrides.clone()).await?;
    match created {
        CallResult::Returned(bytes) if bytes.as_ref() == target.address().as_slice() => {}
        CallResult::Returned(bytes) => {
            return Ok(Err(format!("the factory returned {bytes}")));
        }
        CallResult::Failed { message, .. } => return Ok(Err(message)),
    }
    if let Some(reason) = runtime_failure(node, target).await {
        return Ok(Err(reason));
    }
    let estimate = node.estimate_gas(request, overrides).await?;
    Ok(estimate.map_err(|(_, message)| message))
}

/// Why the runtime code does not execute on this chain. A constructor can succeed although the code has opcodes that the chain
/// does not know. `None` also if the node does not support state overrides.
async fn runtime_failure(node: &Node, target: &Target) -> Option<String> {
    let data = match target.is_core() {
        true => versionCall {}.abi_encode(),
        // Reverts with an error of its own, because it must run by `delegatecall`.
        false => script_call().abi_encode(),
    };
    let call = call_request(target.address(), data.into(), None);
    let overrides = with_code(target.address(), target.runtime());
    let result = node.simulate(call, Some(overrides)).await.ok()?;
    let message = match result {
        CallResult::Returned(bytes) => match String::abi_decode(&bytes) {
            Ok(version) if version == suite::VERSION => return None,
            _ => format!("version() returned {bytes}"),
        },
        CallResult::Failed { data, .. } if data.as_ref() == NotDelegated::SELECTOR => return None,
        CallResult::Failed { message, .. } => message,
    };
    Some(format!("the chain does not execute its code: {message}"))
}

fn script_call() -> registerToolCall {
    registerToolCall {
        registry: Address::ZERO,
        metadataURI: String::new(),
        manifestHash: B256::ZERO,
        accessPredicate: Address::ZERO,
        calls: Vec::new(),
    }
}

/// Why the presigned transaction cannot deploy the factory, with its gas limit and a funded sender.
pub(super) async fn factory_failure(node: &Node) -> Result<Option<String>, Error> {
    let request = TransactionRequest {
        from: Some(FactoryTransaction::SENDER),
        to: Some(TxKind::Create),
        input: TransactionInput::both(FactoryTransaction::CREATION),
        ..Default::default()
    };
    let funded = AccountOverride::default().with_balance(U256::MAX >> 1);
    let funded = StateOverride::from_iter([(FactoryTransaction::SENDER, funded)]);
    let limit = FactoryTransaction::GAS_LIMIT;
    // The estimate includes the intrinsic cost of the transaction.
    Ok(match node.estimate_gas(request, Some(funded)).await? {
        Ok(gas) if gas <= limit => None,
        Ok(gas) => Some(format!("it needs {gas} gas, but its limit is {limit}")),
        Err((_, message)) => Some(message),
    })
}

fn with_code(address: Address, code: Bytes) -> StateOverride {
    StateOverride::from_iter([(address, AccountOverride::default().with_code(code))])
}
