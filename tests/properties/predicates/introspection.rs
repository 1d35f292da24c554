//! What a composite tells about its terms: never more than consumers read, never anything else than is so.

use std::fmt;

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    AccessRequirement,
    CompositePredicate::{Term, setComposition_0Call},
    IAccessPredicate::getRequirementsCall,
    NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID,
};
use atr_harness::{RecitingToken, Transaction, model::tokens::Knowledge};
use proptest::{collection::vec, prelude::*};

use super::{
    cast::Cast,
    family::{Child, Family, Telling, any_family},
    stage::Stage,
};
use crate::property;

const TOOL: U256 = U256::ONE;

/// A world with eight who recite.
fn with_children() -> (Cast, Vec<Address>) {
    let mut cast = Cast::gather();
    let deploy = |number| {
        let name = format!("child {number}");
        cast.world.deploy(&name, RecitingToken::BYTECODE.clone())
    };
    let children = (0..8).map(deploy).collect();
    (cast, children)
}

/// Has them recite, and makes them the terms of a tool.
fn raise<'a>(cast: &'a Cast, addresses: &[Address], family: &Family) -> Result<Stage<'a>, String> {
    let mut stage = Stage::open(cast);
    let selector = getRequirementsCall::SELECTOR;
    let mut terms = Vec::new();
    for (child, &predicate) in family.children.iter().zip(addresses) {
        let succeeds = child.manner != Telling::Fails;
        let call = RecitingToken::reciteCall {
            selector: selector.into(),
            success: succeeds,
            returndata: child.encoded().into(),
        };
        let receipt = stage
            .twin
            .world
            .send(&Transaction::call(cast.nowhere, predicate, &call));
        assert!(receipt.succeeded(), "too long to recite");
        let text = succeeds.then(|| (selector, Bytes::from(child.encoded())));
        let known = Knowledge::Recital(text.into_iter().collect());
        stage.twin.tokens().add(predicate, known);
        terms.push(Term {
            predicate,
            negate: child.negate,
        });
    }
    let call = setComposition_0Call {
        toolId: TOOL,
        op: u8::from(family.any),
        terms,
    };
    stage.set_up(TOOL, cast.contracts.composite, &call)?;
    Ok(stage)
}

#[test]
fn what_a_composite_tells_is_bounded_and_keeps_what_is_healthy() {
    let (cast, addresses) = with_children();
    property::holds(300, any_family(), |family| {
        let mut stage = raise(&cast, &addresses, &family)?;
        let call = getRequirementsCall { toolId: TOOL };
        let receipt = stage
            .twin
            .call(cast.nowhere, cast.contracts.composite, &call)?;
        let told = receipt
            .returned::<getRequirementsCall>()
            .ok_or("nothing told")?;
        let entries = told.requirements;
        let is_bounded =
            |entry: &AccessRequirement| entry.data.len() <= 4_096 && entry.label.len() <= 256;
        if entries.len() > 256 || !entries.iter().all(is_bounded) {
            return Err("more than consumers read".into());
        }
        // B-08: one sentinel for each that cannot be described, in its place, and all else as it is.
        let mut rest = entries.as_slice();
        for child in &family.children {
            let count = match child.is_taken_over() && !child.negate {
                true if child.entries.len() == 1 => 1,
                true if (child.logic == 1) == family.any => child.entries.len().max(1),
                _ => 1,
            };
            let (own, others) = rest.split_at_checked(count).ok_or("entries are missing")?;
            check(child, family.any, own).map_err(|why| format!("{child:?} {why}: {own:?}"))?;
            rest = others;
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err("entries too many".into())
        }
    });
}

fn check(child: &Child, any: bool, own: &[AccessRequirement]) -> Result<(), &'static str> {
    let kind = own[0].kind;
    if kind.is_zero() {
        // Wrapped, even a healthy one can be too long.
        let is_small = child
            .entries
            .iter()
            .map(|(data, label)| data + label + 300)
            .sum::<usize>()
            < 3_500;
        let is_told = child.is_healthy() && is_small;
        return if is_told {
            Err("is healthy, and not told")
        } else {
            Ok(())
        };
    }
    if child.manner == Telling::Unknown {
        let is_one = child.entries.len() == 1;
        return match is_one && child.negate {
            true => Err("is unknown, also negated"),
            false => Ok(()),
        };
    }
    if !child.is_healthy() {
        return Err("is not healthy, and told");
    }
    let is_inlined =
        child.entries.len() == 1 || (!child.entries.is_empty() && (child.logic == 1) == any);
    match (child.negate, is_inlined) {
        (true, _) if kind != NEGATED_REQUIREMENT_ID => Err("is negated, and not told so"),
        (false, false) if kind != NESTED_REQUIREMENTS_ID => {
            Err("has another logic, and is not nested")
        }
        (false, true) if own != child.requirements() => Err("was changed"),
        _ => Ok(()),
    }
}

#[test]
fn too_little_gas_makes_an_entry_unknown_and_nothing_else() {
    let (cast, addresses) = with_children();
    let family = (
        vec((0..70_usize, 0..40_usize), 1..=4),
        any::<bool>(),
        0..600_000_u32,
    );
    let family = family.prop_map(|(sizes, any, gas)| {
        let child = |size| Child {
            entries: vec![size],
            logic: 0,
            negate: false,
            manner: Telling::Whole,
        };
        let children = sizes.into_iter().map(child).collect();
        Starved(Family { any, children }, gas)
    });
    property::holds(150, family, |Starved(family, gas)| {
        let mut stage = raise(&cast, &addresses, &family)?;
        let call = getRequirementsCall { toolId: TOOL };
        let question = Transaction::call(cast.nowhere, cast.contracts.composite, &call);
        let least = question.least_gas();
        for gas in (0..gas).rev().step_by(9_973) {
            let receipt = stage
                .twin
                .world
                .try_out(&question.clone().with_gas(least + u64::from(gas)));
            let Some(told) = receipt.returned::<getRequirementsCall>() else {
                continue;
            };
            let of_children = family.children.iter().flat_map(Child::requirements);
            let each = of_children.zip(&told.requirements);
            let is_so = |(own, told): (AccessRequirement, &AccessRequirement)| {
                *told == own || told.kind.is_zero()
            };
            if told.requirements.len() != family.children.len() || !each.into_iter().all(is_so) {
                return Err(format!("with {gas} gas: {:?}", told.requirements));
            }
        }
        Ok(())
    });
}

#[derive(Clone, Debug)]
struct Starved(Family, u32);

impl fmt::Display for Starved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  with at most {} gas", self.0, self.1)
    }
}
