//! Grants access to holders of at least an amount of an ERC-20 token.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ERC20_BALANCE_ID,
    ERC20BalancePredicate::{
        GAS_PER_QUESTIONCall, MinBalanceIsZero, ToolERC20Configured, configureToolERC20Call,
        getToolERC20ConfigCall,
    },
};

use super::{
    ModelResult, Predicate, Requirements, Slots,
    predicate::{decode, emits, no_answer},
    stored::{Stored, packed},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::{
    PlainERC20::balanceOfCall,
    model::{CallResult, Context, Registry, calldata::Arguments},
};

const GAS_PER_QUESTION: u64 = 30_000;

#[derive(Clone, Copy, Debug)]
struct Balance {
    token: Address,
    min_balance: U256,
}

/// `ERC20BalancePredicate`.
#[derive(Clone, Debug)]
pub struct Erc20Balance(ToolConfigs<Balance>);

impl Erc20Balance {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
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
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let Balance { token, min_balance } = *self.0.require(id)?;
        if !context.has_code(token) {
            return Ok(false);
        }
        match context.call_word(token, &balanceOfCall { account }.abi_encode()) {
            Some(balance) => Ok(balance >= min_balance),
            None => Err(no_answer(token)),
        }
    }

    fn stipends(&self, _: U256) -> Vec<u64> {
        vec![GAS_PER_QUESTION]
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let Balance { token, min_balance } = *self.0.require(id)?;
        if token.is_zero() {
            return Ok(Requirements::always_denied());
        }
        let label = "Hold at least this amount of this token";
        Ok(Requirements::only(
            ERC20_BALANCE_ID,
            (token, min_balance).abi_encode(),
            label,
        ))
    }

    /// Two slots: the token with the set flag, and the minimum balance.
    fn slots(&self) -> Slots {
        let mut slots = Slots::new();
        for (slot, set) in self.0.by_slot() {
            let first = packed(&[(set.token.into_word().into(), 0), (U256::ONE, 160)]);
            slots.insert(slot, Stored::Word(first));
            if !set.min_balance.is_zero() {
                slots.insert(slot.wrapping_add(U256::ONE), Stored::Word(set.min_balance));
            }
        }
        slots
    }

    fn view(&self, data: &[u8], _: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_QUESTIONCall::SELECTOR => U256::from(GAS_PER_QUESTION).abi_encode(),
            getToolERC20ConfigCall::SELECTOR => match self.0.get(arguments.number(0)?) {
                Some(Balance { token, min_balance }) => (*token, *min_balance).abi_encode(),
                None => (Address::ZERO, U256::ZERO).abi_encode(),
            },
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let (id, token, min_balance) = decode::<configureToolERC20Call, _>(data, |call| {
            Some((call.number(0)?, call.address(1)?, call.number(2)?))
        })?;
        require_creator(registry, id, from)?;
        if !token.is_zero() && min_balance.is_zero() {
            return Err(CallResult::reverts(&MinBalanceIsZero {}));
        }
        self.0.insert(id, Balance { token, min_balance });
        Ok(emits(
            self.0.predicate,
            &ToolERC20Configured {
                toolId: id,
                token,
                minBalance: min_balance,
            },
        ))
    }
}
