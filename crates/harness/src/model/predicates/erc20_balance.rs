//! Who holds at least an amount of a token.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::{
    ERC20_BALANCE_ID,
    ERC20BalancePredicate::{
        ERC20BalancePredicateCalls as Calls, MinBalanceIsZero, ToolERC20Configured,
    },
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
};
use crate::{
    PlainERC20::balanceOfCall,
    model::{Around, Registry, Reply},
};

#[derive(Clone, Copy, Debug)]
struct Balance {
    token: Address,
    least: U256,
}

/// `ERC20BalancePredicate`.
#[derive(Clone, Debug)]
pub struct Erc20Balance(Settings<Balance>);

impl Erc20Balance {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }
}

impl Predicate for Erc20Balance {
    fn name(&self) -> &'static str {
        "ERC20BalancePredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let Balance { token, least } = *self.0.require(id)?;
        if !around.has_code(token) {
            return Ok(false);
        }
        match around.ask_word(token, &balanceOfCall { account }.abi_encode()) {
            Some(balance) => Ok(balance >= least),
            None => Err(no_answer(token)),
        }
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let Balance { token, least } = *self.0.require(id)?;
        if token.is_zero() {
            return Ok(Requirements::nobody());
        }
        let label = "Hold at least this amount of this token";
        Ok(Requirements::only(
            ERC20_BALANCE_ID,
            (token, least).abi_encode(),
            label,
        ))
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::GAS_PER_QUESTION(_) => U256::from(30_000).abi_encode(),
            Calls::getToolERC20Config(asked) => match self.0.find(asked.toolId) {
                Some(Balance { token, least }) => (*token, *least).abi_encode(),
                None => (Address::ZERO, U256::ZERO).abi_encode(),
            },
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let Ok(Calls::configureToolERC20(call)) = Calls::abi_decode_validate(data) else {
            return Err(Reply::reverts_silently());
        };
        require_creator(registry, call.toolId, from)?;
        let (token, least) = (call.token, call.minBalance);
        if !token.is_zero() && least.is_zero() {
            return Err(Reply::reverts(&MinBalanceIsZero {}));
        }
        self.0.set(call.toolId, Balance { token, least });
        Ok(logs(
            self.0.predicate,
            &ToolERC20Configured {
                toolId: call.toolId,
                token,
                minBalance: least,
            },
        ))
    }
}
