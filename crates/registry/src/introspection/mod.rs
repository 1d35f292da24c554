//! Reading the requirements of a predicate.

mod decode;
mod limits;

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IAccessPredicate::getRequirementsCall;
use serde::Serialize;

use self::decode::{DecodeError, Decoder};
pub use self::limits::{
    DIAGNOSTIC_GAS, INTROSPECTION_GAS, IntrospectionLimits, Limit, MAX_NAME_BYTES,
};
use crate::{Error, Logic, Registry, Requirement, RevertReason};
use atr_rpc::CallResult;

/// The requirements of a predicate. They are informative: only [`Registry::access`] decides on access, and unreadable
/// requirements do not mean that access is denied (T-38).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "plain data")]
pub enum Introspection {
    /// The decoded list.
    Known {
        logic: Logic,
        requirements: Vec<Requirement>,
    },
    /// The list exceeds a limit.
    OverLimit {
        limit: Limit,
        found: usize,
        max: usize,
    },
    /// The predicate failed or returned invalid data.
    Failed { reason: String },
    /// There is no code at the address. It can be deployed later (K-07).
    NoCode,
}

impl Registry {
    /// Calls `getRequirements` of a predicate, with bounded gas and size.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn requirements(
        &self,
        predicate: Address,
        tool_id: U256,
    ) -> Result<Introspection, Error> {
        let call = getRequirementsCall { toolId: tool_id }.abi_encode().into();
        let view = self.view();
        let limits = self.introspection_limits();
        match view.call(predicate, call, Some(limits.gas)).await? {
            CallResult::Returned(bytes) if bytes.is_empty() => {
                let code = view.code(predicate).await?;
                Ok(if code.is_empty() {
                    Introspection::NoCode
                } else {
                    Introspection::failed("getRequirements returned no data")
                })
            }
            CallResult::Returned(bytes) => Ok(Introspection::decode(&bytes, limits)),
            CallResult::Failed { data, message } => Ok(Introspection::failed(format!(
                "getRequirements failed: {}",
                RevertReason::decode(data, &message)
            ))),
        }
    }
}

impl Introspection {
    /// Decodes the return data of `getRequirements`. Checks limits before it allocates, and never panics.
    #[must_use]
    pub fn decode(return_data: &[u8], limits: IntrospectionLimits) -> Self {
        match Decoder::new(limits).return_data(return_data) {
            Ok((logic, requirements)) => Self::Known {
                logic,
                requirements,
            },
            Err(DecodeError::OverLimit { limit, found, max }) => {
                Self::OverLimit { limit, found, max }
            }
            Err(DecodeError::Malformed(error)) => {
                Self::failed(format!("getRequirements returned invalid data: {error}"))
            }
        }
    }

    fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
        }
    }
}

#[cfg(test)]
mod tests;
