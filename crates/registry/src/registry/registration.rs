//! Registering a tool and configuring its gate. The configurations contain the tool id, so they are later transactions.

use alloy::{
    providers::Provider,
    rpc::types::state::{AccountOverride, StateOverride},
};
use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IRegistrationScript::ConfigurationCall, REGISTRATION_SCRIPT,
    RegistrationScript::registerToolCall,
};
use atr_rpc::{CallResult, MinedTransaction, call_request};

use crate::{Call, Error, Gate, Registry, RevertReason, ToolEvent};

/// A tool to register.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Registration {
    pub metadata_uri: String,
    pub manifest_hash: B256,
    pub access: RegistrationAccess,
}

/// Who has access to a new tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistrationAccess {
    /// Every account.
    Open,
    /// As a predicate decides, which is configured elsewhere.
    Predicate(Address),
    /// The gate, which is configured after the registration. Until then it grants access to no account.
    Gate(Gate),
}

/// How an account runs [`RegistrationScript`](atr_bindings::RegistrationScript), which its code decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptRunner {
    /// A smart account, such as a Safe, or an account with another EIP-7702 delegate: by `delegatecall`.
    SmartAccount,
    /// An account that delegates to the script with EIP-7702: by a call of itself.
    Delegate,
    /// An EOA: by a call of itself, after it has delegated to the script.
    Eoa,
}

impl ScriptRunner {
    /// The runner with this code, for a script at this address.
    #[must_use]
    pub fn of(code: &[u8], script: Address) -> Self {
        match code.strip_prefix(&EIP7702_PREFIX) {
            Some(delegate) if delegate == script.as_slice() => Self::Delegate,
            None if code.is_empty() => Self::Eoa,
            _ => Self::SmartAccount,
        }
    }
}

/// First bytes of the code of an account with an EIP-7702 delegate, whose address follows.
const EIP7702_PREFIX: [u8; 3] = hex!("ef0100");

impl Registration {
    /// The access predicate; `None` for an open tool.
    #[must_use]
    pub fn predicate(&self) -> Option<Address> {
        match &self.access {
            RegistrationAccess::Open => None,
            RegistrationAccess::Predicate(predicate) => Some(*predicate),
            RegistrationAccess::Gate(gate) => Some(gate.predicate()),
        }
    }

    /// The first transaction.
    #[must_use]
    pub fn register_call(&self, registry: &Registry) -> Call {
        registry.register_tool(&self.metadata_uri, self.manifest_hash, self.predicate())
    }

    /// The id of the new tool, from the events of the first transaction.
    #[must_use]
    pub fn tool_id(registry: &Registry, registered: &MinedTransaction) -> Option<U256> {
        let events = ToolEvent::of_contract(registry.address(), &registered.logs);
        events.into_iter().find_map(|event| match event {
            ToolEvent::Registered { tool_id, .. } => Some(tool_id),
            _ => None,
        })
    }

    /// The transactions after the registration.
    #[must_use]
    pub fn configure_calls(&self, tool_id: U256) -> Vec<Call> {
        match &self.access {
            RegistrationAccess::Gate(gate) => gate.configure_calls(tool_id),
            _ => Vec::new(),
        }
    }

    /// All transactions as one call of [`RegistrationScript`](atr_bindings::RegistrationScript), which a smart account runs by `delegatecall` and an EIP-7702 account
    /// as its delegate. The script configures the tool with the id that the registry assigns.
    #[must_use]
    pub fn script_call(&self, registry: &Registry) -> registerToolCall {
        let calls = self.configure_calls(U256::ZERO).into_iter();
        registerToolCall {
            registry: registry.address(),
            metadataURI: self.metadata_uri.clone(),
            manifestHash: self.manifest_hash,
            accessPredicate: self.predicate().unwrap_or_default(),
            calls: calls
                .map(|call| ConfigurationCall {
                    target: call.to,
                    data: call.data,
                })
                .collect(),
        }
    }

    /// The transaction of an account that runs the script at this address. For a smart account, the operation is `delegatecall`.
    #[must_use]
    pub fn script_transaction(
        &self,
        registry: &Registry,
        script: Address,
        creator: Address,
        runner: ScriptRunner,
    ) -> Call {
        let to = match runner {
            ScriptRunner::SmartAccount => script,
            ScriptRunner::Delegate | ScriptRunner::Eoa => creator,
        };
        Call {
            description: "registerTool and its configuration".to_owned(),
            ..Call::new(to, &self.script_call(registry))
        }
    }

    /// Simulates all transactions together, before any of them is paid: the creator runs [`RegistrationScript`](atr_bindings::RegistrationScript). Returns the id that
    /// the tool would get; `None` if the node does not support state overrides.
    ///
    /// # Errors
    ///
    /// When a transaction would revert.
    pub async fn simulate(
        &self,
        registry: &Registry,
        creator: Address,
    ) -> Result<Option<U256>, Error> {
        let mut request = call_request(
            creator,
            self.script_call(registry).abi_encode().into(),
            None,
        );
        request.from = Some(creator);
        let code = AccountOverride::default().with_code(REGISTRATION_SCRIPT.runtime().clone());
        let call = registry
            .provider()
            .call(request)
            .block(registry.view().block)
            .overrides(StateOverride::from_iter([(creator, code)]));
        match CallResult::from_response(call.await) {
            Ok(CallResult::Returned(bytes)) => {
                Ok(registerToolCall::abi_decode_returns(&bytes).ok())
            }
            Ok(CallResult::Failed { data, message }) => Err(Error::WouldRevert {
                call: "registerTool with its configuration".to_owned(),
                reason: RevertReason::decode(data, &message),
            }),
            Err(error) => {
                tracing::info!(%error, "the node does not simulate with state overrides");
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_an_account_decides_how_it_runs_the_script() {
        let script = Address::repeat_byte(1);
        let delegation = |to: Address| [&EIP7702_PREFIX[..], to.as_slice()].concat();
        let other = delegation(Address::repeat_byte(2));
        for (code, runner) in [
            (Vec::new(), ScriptRunner::Eoa),
            (delegation(script), ScriptRunner::Delegate),
            (other, ScriptRunner::SmartAccount),
            (vec![0x60, 0x80], ScriptRunner::SmartAccount),
            (EIP7702_PREFIX.to_vec(), ScriptRunner::SmartAccount),
        ] {
            assert_eq!(ScriptRunner::of(&code, script), runner, "{code:02x?}");
        }
    }
}
