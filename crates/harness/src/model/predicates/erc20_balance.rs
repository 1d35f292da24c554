//! Grants access to holders of at least an amount of an ERC-20 token.

use alloy_primitives::{Address, LogData, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ERC20_BALANCE_ID,
    ERC20BalancePredicate::{
        TokenNoCode, ToolERC20Configured, ZeroMinBalance, ZeroToken, configureToolERC20_0Call,
        configureToolERC20_1Call, getToolERC20ConfigCall,
    },
};

use super::{
    ModelResult, Requirements,
    predicate::call_failed,
    stipends::{Stipends, valid_stipend},
    stored::{Stored, packed_config},
    tool_configs::{Setter, ToolConfig, ToolConfigs},
};
use crate::{
    PlainERC20::balanceOfCall,
    model::{CallResult, Context, calldata::Arguments},
};

/// `ERC20BalancePredicate`.
pub type Erc20Balance = ToolConfigs<Balance>;

/// The configuration of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    token: Address,
    min_balance: U256,
    stipend: u64,
}

impl ToolConfig for Balance {
    type Input = (Address, U256);

    const NAME: &'static str = "ERC20BalancePredicate";

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let Setter { arguments, stipend } =
            Setter::of::<configureToolERC20_1Call, configureToolERC20_0Call>(data, 3)?;
        let input = (arguments.address(1)?, arguments.number(2)?);
        Some((arguments.number(0)?, input, stipend))
    }

    fn validate(
        (token, min_balance): Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult> {
        if token.is_zero() {
            return Err(CallResult::reverts(&ZeroToken {}));
        }
        if !context.has_code(token) {
            return Err(CallResult::reverts(&TokenNoCode { token }));
        }
        if min_balance.is_zero() {
            return Err(CallResult::reverts(&ZeroMinBalance {}));
        }
        Ok(Self {
            token,
            min_balance,
            stipend: valid_stipend(stipend, 1)?,
        })
    }

    fn event(&self, id: U256) -> LogData {
        let event = ToolERC20Configured {
            toolId: id,
            token: self.token,
            minBalance: self.min_balance,
        };
        event.encode_log_data()
    }

    fn has_access(
        &self,
        _: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        if account.is_zero() {
            return Ok(false);
        }
        let call = balanceOfCall { account }.abi_encode();
        let stipends = Stipends::of_calls(self.stipend, 1);
        match stipends.call_word(self.token, &call, context) {
            Ok(balance) => Ok(balance >= self.min_balance),
            Err(_) => Err(call_failed(self.token)),
        }
    }

    fn requirements(&self) -> Requirements {
        let data = (self.token, self.min_balance).abi_encode();
        let label = "Hold at least this amount of this token";
        Requirements::only(ERC20_BALANCE_ID, data, label)
    }

    fn stipends(&self) -> Option<Stipends> {
        Some(Stipends::of_calls(self.stipend, 1))
    }

    fn gas_needed(&self) -> u64 {
        Stipends::of_calls(self.stipend, 1).gas_needed(1)
    }

    fn stored(&self) -> Vec<(u64, Stored)> {
        let config = packed_config(self.token, [0, 0], self.stipend);
        vec![
            (0, Stored::Word(config)),
            (1, Stored::Word(self.min_balance)),
        ]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        _: Context<'_>,
    ) -> Option<ModelResult> {
        let getToolERC20ConfigCall::SELECTOR = selector else {
            return None;
        };
        let found = configs.get(arguments.number(0)?);
        let found = found.map(|config| (config.token, config.min_balance));
        Some(Ok(CallResult::returns(
            found.unwrap_or_default().abi_encode(),
        )))
    }
}
