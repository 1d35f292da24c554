//! Expiration and tier of subscriptions.

use std::fmt;

use alloy_primitives::U256;
use atr_bindings::SubscriptionPredicate::{configureToolGating_0Call, getSubscriptionStatusCall};
use atr_harness::model::{Access, tokens::TokenBehavior};
use proptest::prelude::*;

use super::{actors::Actors, fixture::Fixture};
use acceptance::property;

/// A subscription at a time, and the required tier.
#[derive(Clone, Copy, Debug)]
struct Subscribed {
    seconds_left: i64,
    tier: u8,
    min_tier: u8,
}

impl fmt::Display for Subscribed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seconds_left,
            tier,
            min_tier,
        } = self;
        write!(
            f,
            "  expires in {seconds_left} s, tier {tier}, minimum {min_tier}"
        )
    }
}

#[test]
fn a_subscription_is_valid_until_the_second_before_its_expiration() {
    let actors = Actors::deploy();
    let (collection, account) = (actors.subscriptions[0], actors.signers[0].address);
    let seconds = prop_oneof![-1..=1_i64, -1_000_000..1_000_000_i64];
    let tiers = prop_oneof![(0..3_u8, 0..3_u8), any::<(u8, u8)>()];
    let subscribed = (seconds, tiers).prop_map(|(seconds_left, (tier, min_tier))| Subscribed {
        seconds_left,
        tier,
        min_tier,
    });
    property::holds(
        300,
        subscribed,
        |Subscribed {
             seconds_left,
             tier,
             min_tier,
         }| {
            let mut fixture = Fixture::new(&actors);
            let (id, predicate) = (U256::ONE, actors.contracts.subscription);
            let call = configureToolGating_0Call {
                toolId: id,
                collection,
                minTier: min_tier,
            };
            fixture.call_as_creator(id, predicate, &call)?;
            let check = (predicate, id, account);
            fixture.expect_access(Access::Denied, check, [])?;

            let end = fixture.lockstep.world.time();
            fixture.subscribe(collection, account, U256::from(3), end, tier);
            fixture
                .lockstep
                .set_time(end.saturating_add_signed(-seconds_left));
            let is_active = seconds_left > 0;
            fixture.expect_access(Access::from(is_active && tier >= min_tier), check, [])?;
            let call = getSubscriptionStatusCall {
                toolId: id,
                account,
            };
            let status = fixture.lockstep.call(actors.eoa, predicate, &call)?;
            let status = status
                .returned::<getSubscriptionStatusCall>()
                .ok_or("no status")?;
            let found = (status.hasNft, status.tier, status.expiration, status.active);
            if found != (true, tier, end, is_active && tier >= min_tier) {
                return Err(format!("the status is {found:?}"));
            }
            // The last one still returns the token of the account.
            let failing = [
                TokenBehavior::ShortReturn,
                TokenBehavior::EmptyReturn,
                TokenBehavior::ReturnBomb,
                TokenBehavior::InvalidOpcode,
                TokenBehavior::WritesStorage,
                TokenBehavior::DirtyBits,
                TokenBehavior::FirstCallOnly,
            ];
            for behavior in failing {
                fixture.set_behavior(collection, behavior);
                fixture.expect_access(Access::Unknown, check, [])?;
            }
            // The word 1 or 32 is an expiration in the past.
            for behavior in [TokenBehavior::TwoWords, TokenBehavior::TruncatedArray] {
                fixture.set_behavior(collection, behavior);
                fixture.expect_access(Access::Denied, check, [])?;
            }
            Ok(())
        },
    );
}
