//! The block and the contracts that our contracts call.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::ToolRegistry::supportsInterfaceCall;

use super::{
    Access, ExternalContracts, Scripts,
    gas::Meter,
    predicates::{Failure, Predicate, Slots, view},
    tokens::Tokens,
};
use crate::Outcome;

/// The maximum call depth. No budget of a composite reaches further. A cycle of composites is decided before: a result that is
/// unknown at the first repetition stays unknown.
const MAX_DEPTH: usize = 6;

/// The block and the contracts that our contracts call.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The block timestamp in seconds.
    pub time: u64,
    /// The chain id.
    pub chain_id: u64,
    /// Tokens and smart accounts.
    pub tokens: Tokens,
    /// Scripted predicates.
    pub scripts: Scripts,
    /// Gas that `hasAccess` of other bytecode than the committed one may use more, and as much per inner call.
    pub gas_slack: u64,
    pub(crate) predicates: BTreeMap<Address, Box<dyn Predicate>>,
}

impl Environment {
    /// Whether the account has code.
    #[must_use]
    pub fn has_code(&self, account: Address) -> bool {
        self.predicates.contains_key(&account)
            || self.tokens.has_code(account)
            || self.scripts.has_code(account)
    }

    /// The expected storage of a predicate; empty if there is none at this address.
    #[must_use]
    pub fn slots_of(&self, predicate: Address) -> Slots {
        let found = self.predicates.get(&predicate);
        found.map_or_else(Slots::new, |predicate| predicate.slots())
    }

    /// The context of a contract that a transaction calls.
    #[must_use]
    pub const fn context(&self) -> Context<'_> {
        Context {
            environment: self,
            depth: 0,
            meter: None,
        }
    }
}

impl ExternalContracts for Environment {
    fn has_code(&self, account: Address) -> bool {
        Self::has_code(self, account)
    }

    fn supports(&self, account: Address, interface: FixedBytes<4>) -> bool {
        self.context().supports(account, interface)
    }

    fn access(&self, account: Address, calldata: &[u8]) -> Access {
        self.context().call_bool(account, calldata)
    }

    fn depends_on_gas(&self, account: Address) -> bool {
        self.scripts.depends_on_gas(account)
    }
}

/// The environment as a contract sees it at a call depth.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    environment: &'a Environment,
    depth: usize,
    /// Records the calls to tokens.
    meter: Option<&'a Meter>,
}

impl<'a> Context<'a> {
    const fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    pub(super) const fn with_meter(self, meter: &'a Meter) -> Self {
        Self {
            meter: Some(meter),
            ..self
        }
    }

    pub(super) const fn gas_slack(self) -> u64 {
        self.environment.gas_slack
    }

    /// The called predicate reads a list from code.
    pub(super) fn record_list(self, words: usize) {
        if let Some(meter) = self.meter {
            meter.record_list(words);
        }
    }

    /// The block timestamp in seconds.
    #[must_use]
    pub const fn time(self) -> u64 {
        self.environment.time
    }

    /// The chain id.
    #[must_use]
    pub const fn chain_id(self) -> u64 {
        self.environment.chain_id
    }

    /// Whether the account has code.
    #[must_use]
    pub fn has_code(self, account: Address) -> bool {
        self.environment.has_code(account)
    }

    pub(super) fn predicate(self, account: Address) -> Option<&'a dyn Predicate> {
        self.environment
            .predicates
            .get(&account)
            .map(|found| &**found)
    }

    pub(super) const fn scripts(self) -> &'a Scripts {
        &self.environment.scripts
    }

    /// The return data of a static call with enough gas; none if it fails.
    #[must_use]
    pub fn call(self, account: Address, calldata: &[u8]) -> Option<Bytes> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        if let Some(predicate) = self.predicate(account) {
            return match view(predicate, calldata, self.deeper())?.outcome {
                Outcome::Returned(bytes) => Some(bytes),
                _ => None,
            };
        }
        let scripted = || self.scripts().returned(account, calldata).map(Into::into);
        let returned = self
            .environment
            .tokens
            .returned(account, u64::MAX, calldata);
        returned.ok().or_else(scripted)
    }

    /// The return data of a static call to a token with this stipend.
    ///
    /// # Errors
    ///
    /// When the call fails.
    pub fn call_token(
        self,
        token: Address,
        stipend: u64,
        calldata: &[u8],
    ) -> Result<Bytes, Failure> {
        let tokens = &self.environment.tokens;
        if let Some(meter) = self.meter {
            meter.record(stipend, tokens.cost(token, stipend, calldata));
        }
        match self.predicate(token).is_some() {
            // No predicate has a function of a token.
            true => self.call(token, calldata).ok_or(Failure::SILENT),
            false => tokens.returned(token, stipend, calldata),
        }
    }

    /// The first word of the return data; none if there are fewer than 32 bytes.
    #[must_use]
    pub fn call_word(self, account: Address, calldata: &[u8]) -> Option<U256> {
        let bytes = self.call(account, calldata)?;
        Some(B256::from_slice(bytes.get(..32)?).into())
    }

    /// The result of `hasAccess`, decoded strictly.
    #[must_use]
    pub fn call_bool(self, account: Address, calldata: &[u8]) -> Access {
        self.call(account, calldata)
            .map_or(Access::Unknown, |bytes| Access::from_return_data(&bytes))
    }

    /// Whether `supportsInterface` returns true.
    #[must_use]
    pub fn supports(self, account: Address, interface: FixedBytes<4>) -> bool {
        let call = supportsInterfaceCall {
            interfaceId: interface,
        };
        self.call_word(account, &call.abi_encode()) == Some(U256::from(1))
    }
}
