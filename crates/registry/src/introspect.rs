//! Asking a predicate what it takes to be let in.

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use atr_bindings::IAccessPredicate::getRequirementsCall;
use serde::Serialize;

use crate::{
    Error, IntrospectionLimits, Limit, Logic, Registry, Requirement, RevertReason,
    decode::{Decoder, Flaw},
    view::Answer,
};

/// What a predicate says it takes. It is advice: access itself is what [`Registry::access`] says, and a list that cannot
/// be read denies nobody (T-38).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Introspection {
    /// The list.
    Known {
        /// How its entries combine.
        logic: Logic,
        /// The entries.
        requirements: Vec<Requirement>,
    },
    /// The list is larger than we read. Not a denial.
    #[serde(rename_all = "camelCase")]
    OverLimit {
        /// Which limit.
        what: Limit,
        /// What was found.
        found: usize,
        /// What is read at most.
        limit: usize,
    },
    /// The predicate failed, or returned something else than a list.
    Failed {
        /// Why, as far as is known.
        reason: String,
    },
    /// There is no code at the address. There may be later (K-07).
    NotYet,
}

impl Registry {
    /// Asks a predicate for its requirements. The call is bounded in gas, the answer in size.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn requirements(
        &self,
        predicate: Address,
        tool_id: U256,
    ) -> Result<Introspection, Error> {
        let call = getRequirementsCall { toolId: tool_id };
        let view = self.view();
        let gas = Some(self.caps().gas);
        match view.ask(predicate, call.abi_encode().into(), gas).await? {
            Answer::Returned(bytes) if bytes.is_empty() => {
                let code = view.code(predicate).await?;
                Ok(if code.is_empty() {
                    Introspection::NotYet
                } else {
                    Introspection::failed("getRequirements returned nothing")
                })
            }
            Answer::Returned(bytes) => Ok(Introspection::of_bytes(&bytes, self.caps())),
            Answer::Failed { data, message } => Ok(Introspection::failed(format!(
                "getRequirements failed: {}",
                RevertReason::of(data, &message)
            ))),
        }
    }
}

impl Introspection {
    /// The list in what a predicate's `getRequirements` returned. Checks before it allocates, and never panics.
    #[must_use]
    pub fn of_bytes(bytes: &[u8], caps: IntrospectionLimits) -> Self {
        match Decoder::new(caps).returned(bytes) {
            Ok((logic, requirements)) => Self::Known {
                logic,
                requirements,
            },
            Err(Flaw::OverLimit { what, found, limit }) => Self::OverLimit { what, found, limit },
            Err(Flaw::Malformed(why)) => {
                Self::failed(format!("getRequirements returned no list: {why}"))
            }
        }
    }

    fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
        }
    }
}
