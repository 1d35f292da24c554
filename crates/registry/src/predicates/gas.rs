//! Gas that a predicate reports for a tool, and why an access check is unknown.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::{CompositePredicate::CallFailed, IAccessPredicate::hasAccessCall};
use atr_rpc::CallResult;
use serde::Serialize;

use super::{ConfigurationReader, Stipends};
use crate::{DIAGNOSTIC_GAS, Error, Registry, RevertReason};

/// Gas that a predicate reports for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PredicateGas {
    /// Gas limits of its calls; `None` if it reports none.
    pub stipends: Option<Stipends>,
    /// Gas of an access check with plain tokens, at Ethereum's gas prices; `None` if it reports none or is not configured.
    pub needed: Option<u64>,
}

impl Registry {
    /// Reads the stipends and the needed gas of a predicate.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn predicate_gas(
        &self,
        predicate: Address,
        tool_id: U256,
    ) -> Result<PredicateGas, Error> {
        let reader = ConfigurationReader::new(self.view(), predicate);
        let (stipends, needed) =
            tokio::try_join!(reader.stipends(tool_id), reader.gas_needed(tool_id))?;
        Ok(PredicateGas { stipends, needed })
    }

    pub(crate) async fn gas_needed(
        &self,
        predicate: Address,
        tool_id: U256,
    ) -> Result<Option<u64>, Error> {
        let reader = ConfigurationReader::new(self.view(), predicate);
        reader.gas_needed(tool_id).await
    }

    /// Whether a predicate reports that it is not configured for a tool.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn is_not_configured(
        &self,
        predicate: Address,
        tool_id: U256,
    ) -> Result<bool, Error> {
        let reader = ConfigurationReader::new(self.view(), predicate);
        reader.is_not_configured(tool_id).await
    }

    /// Why `hasAccess` of a predicate fails: its revert reason, and the contract whose call failed, if it names one. `None` if it
    /// does not fail.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn access_failure(
        &self,
        predicate: Address,
        tool_id: U256,
        account: Address,
        data: &Bytes,
    ) -> Result<Option<(RevertReason, Option<Address>)>, Error> {
        let call = hasAccessCall {
            toolId: tool_id,
            account,
            data: data.clone(),
        };
        let call = call.abi_encode().into();
        let view = self.view();
        Ok(
            match view.call(predicate, call, Some(DIAGNOSTIC_GAS)).await? {
                CallResult::Returned(_) => None,
                CallResult::Failed { data, message } => {
                    let target = CallFailed::abi_decode(&data).ok().map(|error| error.target);
                    Some((RevertReason::decode(data, &message), target))
                }
            },
        )
    }
}
