//! Grants access to holders of an unexpired subscription of a minimum tier.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    SUBSCRIPTION_ID,
    SubscriptionPredicate::{
        GAS_PER_QUESTIONCall, ToolGatingConfigured, configureToolGatingCall,
        getSubscriptionStatusCall, getToolGatingConfigCall,
    },
};

use super::{
    ModelResult, Predicate, Requirements, Slots,
    predicate::{decode, emits, no_answer},
    stored::{Stored, packed},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::{
    PlainSubscription::{expiresAtCall, tierOfCall, tokenOfOwnerCall},
    model::{CallResult, Context, Registry, calldata::Arguments},
};

const GAS_PER_QUESTION: u64 = 10_000;

#[derive(Clone, Copy, Debug, Default)]
struct Gating {
    collection: Address,
    tier: u8,
}

impl Gating {
    fn token(self, account: Address, context: Context<'_>) -> Result<Option<U256>, CallResult> {
        if !context.has_code(self.collection) {
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
        let word = context.call_word(self.collection, &call.abi_encode());
        word.and_then(|word| T::try_from(word).ok())
            .ok_or_else(|| no_answer(self.collection))
    }
}

/// `SubscriptionPredicate`.
#[derive(Clone, Debug)]
pub struct Subscription(ToolConfigs<Gating>);

impl Subscription {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }

    fn status(&self, id: U256, account: Address, context: Context<'_>) -> ModelResult {
        let gating = *self.0.require(id)?;
        let status = match gating.token(account, context)? {
            None => (false, 0, gating.tier, 0, false),
            Some(token) => {
                let tier = gating.tier_of(token, context)?;
                let end = gating.end(token, context)?;
                (true, tier, gating.tier, end, end > context.time())
            }
        };
        let (held, tier, min_tier, end, active) = status;
        let words = (
            held,
            U256::from(tier),
            U256::from(min_tier),
            U256::from(end),
            active,
        );
        Ok(CallResult::returns(words.abi_encode()))
    }
}

impl Predicate for Subscription {
    fn name(&self) -> &'static str {
        "SubscriptionPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    /// Calls `tierOf` only if a minimum tier is set.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let gating = *self.0.require(id)?;
        let Some(token) = gating.token(account, context)? else {
            return Ok(false);
        };
        if gating.end(token, context)? <= context.time() {
            return Ok(false);
        }
        Ok(gating.tier == 0 || gating.tier_of(token, context)? >= gating.tier)
    }

    fn stipends(&self, _: U256) -> Vec<u64> {
        vec![GAS_PER_QUESTION; 3]
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let Gating { collection, tier } = *self.0.require(id)?;
        if collection.is_zero() {
            return Ok(Requirements::always_denied());
        }
        let data = (collection, U256::from(tier)).abi_encode();
        let label = "Hold a running subscription of this tier or higher";
        Ok(Requirements::only(SUBSCRIPTION_ID, data, label))
    }

    fn slots(&self) -> Slots {
        let word = |set: &Gating| {
            packed(&[
                (set.collection.into_word().into(), 0),
                (U256::from(set.tier), 160),
                (U256::ONE, 168),
            ])
        };
        self.0.slots(|set| Stored::Word(word(set)))
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        Some(match selector {
            GAS_PER_QUESTIONCall::SELECTOR => Ok(CallResult::returns(
                U256::from(GAS_PER_QUESTION).abi_encode(),
            )),
            getToolGatingConfigCall::SELECTOR => {
                let found = self.0.get(arguments.number(0)?);
                let Gating { collection, tier } = found.copied().unwrap_or_default();
                Ok(CallResult::returns(
                    (collection, U256::from(tier)).abi_encode(),
                ))
            }
            getSubscriptionStatusCall::SELECTOR => {
                self.status(arguments.number(0)?, arguments.address(1)?, context)
            }
            _ => return None,
        })
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let (id, collection, tier) = decode::<configureToolGatingCall, _>(data, |call| {
            Some((call.number(0)?, call.address(1)?, call.small(2)?))
        })?;
        require_creator(registry, id, from)?;
        self.0.insert(id, Gating { collection, tier });
        Ok(emits(
            self.0.predicate,
            &ToolGatingConfigured {
                toolId: id,
                collection,
                minTier: tier,
            },
        ))
    }
}
