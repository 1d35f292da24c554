//! Grants access to holders of an unexpired subscription of a minimum tier.

use alloy_primitives::{Address, LogData, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    SUBSCRIPTION_ID,
    SubscriptionPredicate::{
        CollectionNotAContract, ToolGatingConfigured, ZeroCollection, configureToolGating_0Call,
        configureToolGating_1Call, getSubscriptionStatusCall, getToolGatingConfigCall,
        registryCall,
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
    PlainSubscription::{expiresAtCall, tierOfCall, tokenOfOwnerCall},
    model::{CallResult, Context, calldata::Arguments},
};

const MAX_CALLS: u64 = 3;

/// `SubscriptionPredicate`.
pub type Subscription = ToolConfigs<Gating>;

/// The configuration of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Gating {
    collection: Address,
    tier: u8,
    stipend: u64,
}

impl Gating {
    fn token(self, account: Address, context: Context<'_>) -> Result<Option<U256>, CallResult> {
        if account.is_zero() {
            return Ok(None);
        }
        let token: U256 = self.call(&tokenOfOwnerCall { account }, context)?;
        Ok((!token.is_zero()).then_some(token))
    }

    fn end(self, token: U256, context: Context<'_>) -> Result<u64, CallResult> {
        self.call(&expiresAtCall { tokenId: token }, context)
    }

    fn tier_of(self, token: U256, context: Context<'_>) -> Result<u8, CallResult> {
        self.call(&tierOfCall { tokenId: token }, context)
    }

    /// Return data that does not fit the type counts as a failure.
    fn call<T: TryFrom<U256>>(
        self,
        call: &impl SolCall,
        context: Context<'_>,
    ) -> Result<T, CallResult> {
        let stipends = Stipends::of_calls(self.stipend, MAX_CALLS);
        let word = stipends.call_word(self.collection, &call.abi_encode(), context);
        let value = word.ok().and_then(|word| T::try_from(word).ok());
        value.ok_or_else(|| call_failed(self.collection))
    }

    fn status(self, account: Address, context: Context<'_>) -> ModelResult {
        let (mut tier, mut end, mut active) = (0, 0, false);
        let token = self.token(account, context)?;
        if let Some(token) = token {
            tier = self.tier_of(token, context)?;
            end = self.end(token, context)?;
            active = end > context.time() && tier >= self.tier;
        }
        let [tier, min_tier] = [tier, self.tier].map(U256::from);
        let words = (token.is_some(), tier, min_tier, U256::from(end), active);
        Ok(CallResult::returns(words.abi_encode()))
    }
}

impl ToolConfig for Gating {
    type Input = (Address, u8);

    const NAME: &'static str = "SubscriptionPredicate";

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let Setter { arguments, stipend } =
            Setter::of::<configureToolGating_0Call, configureToolGating_1Call>(data, 3)?;
        let input = (arguments.address(1)?, arguments.small(2)?);
        Some((arguments.number(0)?, input, stipend))
    }

    fn validate(
        (collection, tier): Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult> {
        if collection.is_zero() {
            return Err(CallResult::reverts(&ZeroCollection {}));
        }
        if !context.has_code(collection) {
            return Err(CallResult::reverts(&CollectionNotAContract { collection }));
        }
        Ok(Self {
            collection,
            tier,
            stipend: valid_stipend(stipend, MAX_CALLS)?,
        })
    }

    fn event(&self, id: U256) -> LogData {
        let event = ToolGatingConfigured {
            toolId: id,
            collection: self.collection,
            minTier: self.tier,
        };
        event.encode_log_data()
    }

    /// Calls `tierOf` only if a minimum tier is set.
    fn has_access(
        &self,
        _: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let Some(token) = self.token(account, context)? else {
            return Ok(false);
        };
        if self.end(token, context)? <= context.time() {
            return Ok(false);
        }
        Ok(self.tier == 0 || self.tier_of(token, context)? >= self.tier)
    }

    fn requirements(&self) -> Requirements {
        let data = (self.collection, U256::from(self.tier)).abi_encode();
        let label = "Hold an active subscription of this tier or higher";
        Requirements::only(SUBSCRIPTION_ID, data, label)
    }

    fn stipends(&self) -> Option<Stipends> {
        Some(Stipends::of_calls(self.stipend, MAX_CALLS))
    }

    fn gas_needed(&self) -> u64 {
        Stipends::of_calls(self.stipend, MAX_CALLS).gas_needed(MAX_CALLS)
    }

    fn stored(&self) -> Vec<(u64, Stored)> {
        let config = packed_config(self.collection, [self.tier.into(), 0], self.stipend);
        vec![(0, Stored::Word(config))]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        context: Context<'_>,
    ) -> Option<ModelResult> {
        let returned = match selector {
            registryCall::SELECTOR => configs.registry.abi_encode(),
            getToolGatingConfigCall::SELECTOR => {
                let found = configs.get(arguments.number(0)?);
                let found = found.map(|found| (found.collection, U256::from(found.tier)));
                found.unwrap_or_default().abi_encode()
            }
            getSubscriptionStatusCall::SELECTOR => {
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                let gating = configs.require(id);
                return Some(gating.and_then(|gating| gating.status(account, context)));
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}
