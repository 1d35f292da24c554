//! Reading the configuration of an untrusted predicate.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::{
    CompositePredicate, CompositePredicate::NotConfigured, ERC721OwnerPredicate,
    IAccessPredicate::getRequirementsCall,
};

use super::Stipends;
use crate::{DIAGNOSTIC_GAS, Error, INTROSPECTION_GAS};
use atr_rpc::{BlockView, CallResult};

/// Maximum size of the return data: several times what our predicates accept. Entries can share bytes, so the decoded size can be
/// quadratic in this.
const MAX_BYTES: usize = 16 * 1024;

/// The configuration could not be read.
pub(super) enum ReadError {
    /// The call failed or returned invalid data.
    Invalid,
    /// The RPC request failed.
    Rpc(Error),
}

/// A number of gas.
pub(super) fn to_u64(value: U256) -> Result<u64, ReadError> {
    value.try_into().map_err(|_| ReadError::Invalid)
}

/// `None` if the predicate did not answer.
fn ok_or_rpc_error<T>(result: Result<T, ReadError>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ReadError::Invalid) => Ok(None),
        Err(ReadError::Rpc(error)) => Err(error),
    }
}

/// Calls the getters of one predicate at one block.
pub(super) struct ConfigurationReader<'a> {
    view: BlockView<'a>,
    predicate: Address,
}

impl<'a> ConfigurationReader<'a> {
    pub(super) const fn new(view: BlockView<'a>, predicate: Address) -> Self {
        Self { view, predicate }
    }

    /// Whether `getRequirements` reverts with `NotConfigured`. The getters of lists return an empty list in that case, which would
    /// mean that access is denied.
    pub(super) async fn is_not_configured(&self, tool_id: U256) -> Result<bool, Error> {
        let call = getRequirementsCall { toolId: tool_id }.abi_encode().into();
        let gas = Some(INTROSPECTION_GAS);
        let result = self.view.call(self.predicate, call, gas).await?;
        let error = NotConfigured::SELECTOR;
        Ok(matches!(result, CallResult::Failed { data, .. } if data.starts_with(&error)))
    }

    /// `getStipends`; `None` if the predicate has no such function, as in the reference deployment.
    pub(super) async fn stipends(&self, tool_id: U256) -> Result<Option<Stipends>, Error> {
        let call = ERC721OwnerPredicate::getStipendsCall { toolId: tool_id };
        let stipends = match self.call(call).await {
            Ok(stipends) => to_u64(stipends.first).and_then(|first| {
                let retry = to_u64(stipends.retry)?;
                Ok(Stipends { first, retry })
            }),
            Err(error) => Err(error),
        };
        ok_or_rpc_error(stipends)
    }

    /// `gasNeeded`; `None` if the predicate is not configured or has no such function.
    pub(super) async fn gas_needed(&self, tool_id: U256) -> Result<Option<u64>, Error> {
        let call = CompositePredicate::gasNeededCall { toolId: tool_id };
        ok_or_rpc_error(self.call(call).await.and_then(to_u64))
    }

    pub(super) async fn call<C: SolCall>(&self, call: C) -> Result<C::Return, ReadError> {
        let data = call.abi_encode().into();
        let gas = Some(DIAGNOSTIC_GAS);
        match self.view.call(self.predicate, data, gas).await {
            Ok(CallResult::Returned(bytes)) if bytes.len() <= MAX_BYTES => {
                C::abi_decode_returns_validate(&bytes).map_err(|_| ReadError::Invalid)
            }
            Ok(_) => Err(ReadError::Invalid),
            Err(error) => Err(ReadError::Rpc(error.into())),
        }
    }
}
