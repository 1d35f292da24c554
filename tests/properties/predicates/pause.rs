//! The pause.

use std::fmt;

use alloy_primitives::{Address, U256};
use atr_bindings::IToolRegistry::{setAccessPredicateCall, tryHasAccessCall};
use atr_harness::model::Answer;
use proptest::prelude::*;

use super::{cast::Cast, stage::Stage};
use crate::property;

/// Somebody who hands over something.
#[derive(Clone, Debug)]
struct Somebody {
    account: [u8; 20],
    data: Vec<u8>,
}

impl fmt::Display for Somebody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let account = Address::from(self.account);
        write!(f, "  {account} with {} bytes", self.data.len())
    }
}

#[test]
fn a_paused_tool_lets_nobody_in_and_a_resumed_one_everybody_again() {
    let cast = Cast::gather();
    let somebody =
        any::<([u8; 20], Vec<u8>)>().prop_map(|(account, data)| Somebody { account, data });
    property::holds(100, somebody, |Somebody { account, data }| {
        let mut stage = Stage::open(&cast);
        let (id, account) = (U256::ONE, Address::from(account));
        // B-16
        stage.expect(
            Answer::No,
            (cast.contracts.always_deny, id, account),
            data.clone(),
        )?;
        let resume = setAccessPredicateCall {
            toolId: id,
            newPredicate: Address::ZERO,
        };
        let registry = cast.contracts.registry;
        stage.set_up(id, registry, &resume)?;
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data: data.into(),
        };
        let told = stage.twin.call(cast.nowhere, registry, &call)?;
        match told.returned::<tryHasAccessCall>() {
            Some(pair) if pair.ok && pair.granted => Ok(()),
            other => Err(format!(
                "an open tool answers {:?}",
                other.map(|pair| pair.granted)
            )),
        }
    });
}
