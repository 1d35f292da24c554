//! Who holds at least an amount of a token.

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
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
    stored::{Stored, packed},
};
use crate::{
    PlainERC20::balanceOfCall,
    model::{Around, Registry, Reply, calldata::Arguments, thirst},
};

const GAS_PER_QUESTION: u64 = 30_000;

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

    fn gas_needed(&self, id: U256, _: Address, data: &[u8], around: Around<'_>) -> u64 {
        let token = self.0.find(id).map(|set| set.token);
        thirst::of_data(data) + thirst::of_questions(around, token, GAS_PER_QUESTION)
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

    /// Two slots: the token and that it is set, the amount.
    fn slots(&self) -> Slots {
        let mut slots = Slots::new();
        for (slot, set) in self.0.slots() {
            let first = packed(&[(set.token.into_word().into(), 0), (U256::ONE, 160)]);
            slots.insert(slot, Stored::Word(first));
            if !set.least.is_zero() {
                slots.insert(slot.wrapping_add(U256::ONE), Stored::Word(set.least));
            }
        }
        slots
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_QUESTIONCall::SELECTOR => U256::from(GAS_PER_QUESTION).abi_encode(),
            getToolERC20ConfigCall::SELECTOR => match self.0.find(arguments.number(0)?) {
                Some(Balance { token, least }) => (*token, *least).abi_encode(),
                None => (Address::ZERO, U256::ZERO).abi_encode(),
            },
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<configureToolERC20Call>(data)?;
        Some(thirst::of_setting(data) + thirst::NEW_SLOT)
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, token, least) = Arguments::of::<configureToolERC20Call>(data)
            .and_then(|call| Some((call.number(0)?, call.address(1)?, call.number(2)?)))
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        if !token.is_zero() && least.is_zero() {
            return Err(Reply::reverts(&MinBalanceIsZero {}));
        }
        self.0.set(id, Balance { token, least });
        Ok(logs(
            self.0.predicate,
            &ToolERC20Configured {
                toolId: id,
                token,
                minBalance: least,
            },
        ))
    }
}
