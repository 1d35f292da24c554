//! Pausing a tool with `AlwaysDenyPredicate`.

use std::fmt;

use alloy_primitives::{Address, U256};
use atr_bindings::IToolRegistry::{setAccessPredicateCall, tryHasAccessCall};
use atr_harness::model::Access;
use proptest::prelude::*;

use super::{actors::Actors, fixture::Fixture};
use acceptance::property;

/// An account and its `data`.
#[derive(Clone, Debug)]
struct Caller {
    account: [u8; 20],
    data: Vec<u8>,
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let account = Address::from(self.account);
        write!(f, "  {account} with {} bytes", self.data.len())
    }
}

#[test]
fn a_paused_tool_denies_everyone_and_a_resumed_tool_grants_everyone() {
    let actors = Actors::deploy();
    let caller = any::<([u8; 20], Vec<u8>)>().prop_map(|(account, data)| Caller { account, data });
    property::holds(100, caller, |Caller { account, data }| {
        let mut fixture = Fixture::new(&actors);
        let (id, account) = (U256::ONE, Address::from(account));
        // B-16
        fixture.expect_access(
            Access::Denied,
            (actors.contracts.always_deny, id, account),
            data.clone(),
        )?;
        let resume = setAccessPredicateCall {
            toolId: id,
            newPredicate: Address::ZERO,
        };
        let registry = actors.contracts.registry;
        fixture.call_as_creator(id, registry, &resume)?;
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.into(),
        };
        let receipt = fixture.lockstep.call(actors.eoa, registry, &call)?;
        match receipt.returned::<tryHasAccessCall>() {
            Some(pair) if pair.ok && pair.granted => Ok(()),
            other => Err(format!(
                "an open tool returns {:?}",
                other.map(|pair| pair.granted)
            )),
        }
    });
}
