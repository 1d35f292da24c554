//! Access checks.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolInterface};
use atr_bindings::IToolRegistry::{IToolRegistryErrors, tryHasAccessCall};
use serde::Serialize;

use crate::{Error, Registry, abi::AbiSlice};
use atr_rpc::CallResult;

/// Result of an access check. It does not authenticate the caller: anyone can check any account (C-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// The tool has no predicate, or its predicate grants access.
    Granted,
    /// The predicate denies access.
    Denied,
    /// The predicate has no code or failed.
    Unknown,
}

impl Access {
    /// Decodes the return data of `tryHasAccess`; `None` if it is not two valid booleans.
    ///
    /// `(false, true)`, which the ERC forbids, is [`Self::Unknown`].
    #[must_use]
    pub fn decode(return_data: &[u8]) -> Option<Self> {
        let values = AbiSlice::new(return_data);
        let (ok, granted) = (values.bool(0).ok()?, values.bool(1).ok()?);
        Some(match (ok, granted) {
            (true, true) => Self::Granted,
            (true, false) => Self::Denied,
            (false, _) => Self::Unknown,
        })
    }
}

impl Registry {
    /// Calls `tryHasAccess`. `data` is passed to the predicate unchanged; the node sees it.
    ///
    /// # Errors
    ///
    /// When the RPC request fails, the address is not a registry, or the tool is not registered (C-10: not a denial).
    pub async fn access(&self, id: U256, account: Address, data: &Bytes) -> Result<Access, Error> {
        let call = Self::access_call(id, account, data);
        let result = self.view().call(self.address(), call, None).await?;
        match self.decode_access(id, &result) {
            Err(error) => Err(self.explain(error).await),
            access => access,
        }
    }

    /// Call data of `tryHasAccess`, for callers that send the request themselves.
    #[must_use]
    pub fn access_call(id: U256, account: Address, data: &Bytes) -> Bytes {
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        };
        call.abi_encode().into()
    }

    /// Decodes the result of [`Self::access_call`].
    ///
    /// # Errors
    ///
    /// When the address is not a registry, or the tool is not registered.
    pub fn decode_access(&self, id: U256, result: &CallResult) -> Result<Access, Error> {
        match result {
            CallResult::Returned(bytes) => Access::decode(bytes)
                .ok_or_else(|| self.not_a_registry("tryHasAccess() returned invalid data")),
            CallResult::Failed { data, message } => {
                Err(match IToolRegistryErrors::abi_decode(data) {
                    Ok(IToolRegistryErrors::ToolNotFound(error)) if error.toolId == id => {
                        Error::ToolNotFound { id, count: None }
                    }
                    Ok(IToolRegistryErrors::ToolIsDeregistered(error)) if error.toolId == id => {
                        Error::ToolIsDeregistered { id }
                    }
                    _ => self.not_a_registry(format!("tryHasAccess() failed: {message}")),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn return_data(ok: u8, granted: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        (bytes[31], bytes[63]) = (ok, granted);
        bytes
    }

    #[test]
    fn the_forbidden_result_false_true_is_unknown() {
        assert_eq!(Access::decode(&return_data(0, 1)), Some(Access::Unknown));
        assert_eq!(Access::decode(&return_data(1, 1)), Some(Access::Granted));
        assert_eq!(Access::decode(&return_data(1, 0)), Some(Access::Denied));
        assert_eq!(Access::decode(&return_data(0, 0)), Some(Access::Unknown));
        for (ok, granted) in [(2, 1), (1, 2)] {
            assert_eq!(Access::decode(&return_data(ok, granted)), None);
        }
        assert_eq!(Access::decode(&return_data(1, 1)[..63]), None);
    }

    proptest! {
        #[test]
        fn only_two_valid_true_values_grant(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if Access::decode(&bytes) == Some(Access::Granted) {
                prop_assert_eq!(&bytes[..64], &return_data(1, 1)[..]);
            }
        }
    }
}
