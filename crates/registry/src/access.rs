//! May this account use that tool? Yes, no, or nobody can tell.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolInterface};
use atr_bindings::IToolRegistry::{IToolRegistryErrors, tryHasAccessCall};
use serde::Serialize;

use crate::{Error, Registry, abi::Encoded, view::Answer};

/// What the registry says about access. Warning: a yes does not prove that whoever asks is the account (C-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// The tool is open, or its predicate said yes.
    Granted,
    /// The predicate said no.
    Denied,
    /// The predicate has no code, failed, or answered nonsense.
    Unknown,
}

impl Access {
    /// What `tryHasAccess` returned; none if these are not two bools, as Solidity reads them.
    ///
    /// Without `ok` there is no answer, whatever else is claimed: `(false, true)`, which the ERC rules out, grants nothing.
    #[must_use]
    pub fn of_return(bytes: &[u8]) -> Option<Self> {
        let words = Encoded::new(bytes);
        let (ok, granted) = (words.flag(0).ok()?, words.flag(1).ok()?);
        Some(match (ok, granted) {
            (true, true) => Self::Granted,
            (true, false) => Self::Denied,
            (false, _) => Self::Unknown,
        })
    }
}

impl Registry {
    /// Asks `tryHasAccess`. `data` goes to the predicate as it is and is public.
    ///
    /// # Errors
    ///
    /// When the node does not answer, the address is no registry, or there is no such tool (C-10: that is not a denial).
    pub async fn access(&self, id: U256, account: Address, data: &Bytes) -> Result<Access, Error> {
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        };
        let question = call.abi_encode().into();
        match self.view().ask(self.address(), question, None).await? {
            Answer::Returned(bytes) => Access::of_return(&bytes)
                .ok_or_else(|| self.no_registry("it does not answer tryHasAccess")),
            Answer::Failed { data, message } => Err(match IToolRegistryErrors::abi_decode(&data) {
                Ok(IToolRegistryErrors::ToolNotFound(error)) if error.toolId == id => {
                    Error::ToolNotFound { id }
                }
                Ok(IToolRegistryErrors::ToolIsDeregistered(error)) if error.toolId == id => {
                    Error::ToolIsDeregistered { id }
                }
                _ => self.no_registry(format!("tryHasAccess fails: {message}")),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(ok: u8, granted: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        (bytes[31], bytes[63]) = (ok, granted);
        bytes
    }

    #[test]
    fn the_answer_that_must_not_occur_grants_nothing() {
        assert_eq!(Access::of_return(&answer(0, 1)), Some(Access::Unknown));
        assert_eq!(Access::of_return(&answer(1, 1)), Some(Access::Granted));
        assert_eq!(Access::of_return(&answer(1, 0)), Some(Access::Denied));
        assert_eq!(Access::of_return(&answer(0, 0)), Some(Access::Unknown));
        for (ok, granted) in [(2, 1), (1, 2)] {
            assert_eq!(Access::of_return(&answer(ok, granted)), None);
        }
        assert_eq!(Access::of_return(&answer(1, 1)[..63]), None);
    }

    proptest! {
        #[test]
        fn nothing_but_two_clean_ones_grants(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if Access::of_return(&bytes) == Some(Access::Granted) {
                prop_assert_eq!(&bytes[..64], &answer(1, 1)[..]);
            }
        }
    }
}
