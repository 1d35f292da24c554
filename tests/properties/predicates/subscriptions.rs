//! Subscriptions, to the second and to the tier.

use std::fmt;

use alloy_primitives::U256;
use atr_bindings::SubscriptionPredicate::{configureToolGatingCall, getSubscriptionStatusCall};
use atr_harness::model::{Answer, tokens::Voice};
use proptest::prelude::*;

use super::{cast::Cast, stage::Stage};
use crate::property;

/// A subscription, when it is looked at, and what is asked for.
#[derive(Clone, Copy, Debug)]
struct Subscribed {
    seconds_left: i64,
    tier: u8,
    least: u8,
}

impl fmt::Display for Subscribed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seconds_left,
            tier,
            least,
        } = self;
        write!(
            f,
            "  ends in {seconds_left} s, tier {tier} where {least} is asked for"
        )
    }
}

#[test]
fn a_subscription_runs_until_the_second_before_its_end() {
    let cast = Cast::gather();
    let (pass, account) = (cast.passes[0], cast.signers[0].address);
    let seconds = prop_oneof![-1..=1_i64, -1_000_000..1_000_000_i64];
    let tiers = prop_oneof![(0..3_u8, 0..3_u8), any::<(u8, u8)>()];
    let subscribed = (seconds, tiers).prop_map(|(seconds_left, (tier, least))| Subscribed {
        seconds_left,
        tier,
        least,
    });
    property::holds(
        300,
        subscribed,
        |Subscribed {
             seconds_left,
             tier,
             least,
         }| {
            let mut stage = Stage::open(&cast);
            let (id, predicate) = (U256::ONE, cast.contracts.subscription);
            let call = configureToolGatingCall {
                toolId: id,
                collection: pass,
                minTier: least,
            };
            stage.set_up(id, predicate, &call)?;
            let asked = (predicate, id, account);
            stage.expect(Answer::No, asked, [])?;

            let end = stage.twin.world.time();
            stage.subscribe(pass, account, U256::from(3), end, tier);
            stage
                .twin
                .set_time(end.saturating_add_signed(-seconds_left));
            let runs = seconds_left > 0;
            stage.expect(Answer::from(runs && tier >= least), asked, [])?;
            let call = getSubscriptionStatusCall {
                toolId: id,
                account,
            };
            let status = stage.twin.call(cast.nowhere, predicate, &call)?;
            let status = status
                .returned::<getSubscriptionStatusCall>()
                .ok_or("no status")?;
            let told = (status.hasNft, status.tier, status.expiration, status.active);
            if told != (true, tier, end, runs) {
                return Err(format!("the status is {told:?}"));
            }
            // The last one still tells whose token it is, and nothing more.
            let silent = [
                Voice::ShortWord,
                Voice::Silent,
                Voice::Megabyte,
                Voice::IsInvalid,
                Voice::Writes,
                Voice::DirtyWord,
                Voice::FirstOnly,
            ];
            for voice in silent {
                stage.set_voice(pass, voice);
                stage.expect(Answer::Unknown, asked, [])?;
            }
            // A word that fits is an end, and one long past.
            for voice in [Voice::TwoWords, Voice::ArrayHead] {
                stage.set_voice(pass, voice);
                stage.expect(Answer::No, asked, [])?;
            }
            Ok(())
        },
    );
}
