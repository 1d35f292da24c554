//! Who holds a running subscription of at least a tier.

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
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
    stored::{Stored, packed},
};
use crate::{
    PlainSubscription::{expiresAtCall, tierOfCall, tokenOfOwnerCall},
    model::{Around, Registry, Reply, calldata::Arguments, thirst},
};

const GAS_PER_QUESTION: u64 = 10_000;

#[derive(Clone, Copy, Debug, Default)]
struct Gating {
    collection: Address,
    tier: u8,
}

impl Gating {
    /// The token of an account; none if it has none.
    fn token(self, account: Address, around: Around<'_>) -> Result<Option<U256>, Reply> {
        if !around.has_code(self.collection) {
            return Ok(None);
        }
        let token: U256 = self.ask(&tokenOfOwnerCall { account }, around)?;
        Ok((!token.is_zero()).then_some(token))
    }

    fn end(self, token: U256, around: Around<'_>) -> Result<u64, Reply> {
        self.ask(&expiresAtCall { tokenId: token }, around)
    }

    fn tier_of(self, token: U256, around: Around<'_>) -> Result<u8, Reply> {
        self.ask(&tierOfCall { tokenId: token }, around)
    }

    /// An answer that does not fit its type is none.
    fn ask<T: TryFrom<U256>>(
        self,
        question: &impl SolCall,
        around: Around<'_>,
    ) -> Result<T, Reply> {
        let word = around.ask_word(self.collection, &question.abi_encode());
        word.and_then(|word| T::try_from(word).ok())
            .ok_or_else(|| no_answer(self.collection))
    }
}

/// `SubscriptionPredicate`.
#[derive(Clone, Debug)]
pub struct Subscription(Settings<Gating>);

impl Subscription {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }

    fn status(&self, id: U256, account: Address, around: Around<'_>) -> Ended {
        let gating = *self.0.require(id)?;
        let status = match gating.token(account, around)? {
            None => (false, 0, gating.tier, 0, false),
            Some(token) => {
                let tier = gating.tier_of(token, around)?;
                let end = gating.end(token, around)?;
                (true, tier, gating.tier, end, end > around.time())
            }
        };
        let (held, tier, least, end, active) = status;
        let words = (
            held,
            U256::from(tier),
            U256::from(least),
            U256::from(end),
            active,
        );
        Ok(Reply::returns(words.abi_encode()))
    }
}

impl Predicate for Subscription {
    fn name(&self) -> &'static str {
        "SubscriptionPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    /// The tier is asked for only where it matters.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let gating = *self.0.require(id)?;
        let Some(token) = gating.token(account, around)? else {
            return Ok(false);
        };
        if gating.end(token, around)? <= around.time() {
            return Ok(false);
        }
        Ok(gating.tier == 0 || gating.tier_of(token, around)? >= gating.tier)
    }

    fn gas_needed(&self, id: U256, _: Address, data: &[u8], around: Around<'_>) -> u64 {
        let collection = self.0.find(id).map(|set| [set.collection; 3]);
        let asked = collection.into_iter().flatten();
        thirst::of_data(data) + thirst::of_questions(around, asked, GAS_PER_QUESTION)
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let Gating { collection, tier } = *self.0.require(id)?;
        if collection.is_zero() {
            return Ok(Requirements::nobody());
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
        let each = self.0.slots();
        each.map(|(slot, set)| (slot, Stored::Word(word(set))))
            .collect()
    }

    fn view(&self, data: &[u8], around: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        Some(match selector {
            GAS_PER_QUESTIONCall::SELECTOR => {
                Ok(Reply::returns(U256::from(GAS_PER_QUESTION).abi_encode()))
            }
            getToolGatingConfigCall::SELECTOR => {
                let found = self.0.find(arguments.number(0)?);
                let Gating { collection, tier } = found.copied().unwrap_or_default();
                Ok(Reply::returns((collection, U256::from(tier)).abi_encode()))
            }
            getSubscriptionStatusCall::SELECTOR => {
                self.status(arguments.number(0)?, arguments.address(1)?, around)
            }
            _ => return None,
        })
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<configureToolGatingCall>(data)?;
        Some(thirst::of_setting(data))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, collection, tier) = Arguments::of::<configureToolGatingCall>(data)
            .and_then(|call| Some((call.number(0)?, call.address(1)?, call.small(2)?)))
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        self.0.set(id, Gating { collection, tier });
        Ok(logs(
            self.0.predicate,
            &ToolGatingConfigured {
                toolId: id,
                collection,
                minTier: tier,
            },
        ))
    }
}
