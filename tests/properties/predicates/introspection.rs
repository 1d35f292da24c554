//! What a composite tells about its terms: never more than consumers read, never anything else than is so.

use std::{cell::Cell, fmt};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    AccessRequirement,
    CompositePredicate::{Term, setComposition_0Call},
    IAccessPredicate::getRequirementsCall,
    NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID,
};
use atr_harness::{
    InvalidOpcodeToken, MinGasPredicate, Outcome, PresetResponseToken, Transaction,
    model::tokens::Knowledge,
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    cast::Cast,
    family::{Child, Family, Telling, any_family},
    stage::Stage,
};
use crate::property;

const TOOL: U256 = U256::ONE;

/// A world with eight contracts that have this code.
fn with_children(code: &Bytes) -> (Cast, Vec<Address>) {
    let mut cast = Cast::gather();
    let deploy = |number| cast.world.deploy(&format!("child {number}"), code.clone());
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
        let call = PresetResponseToken::setResponseCall {
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
    let (cast, addresses) = with_children(&PresetResponseToken::BYTECODE);
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

/// What the terms of a composite say they require, one entry each, and what gas they want for it.
#[derive(Clone, Debug)]
struct Starved {
    any: bool,
    children: Vec<(Child, Thirst)>,
    gas: u32,
}

/// What gas a term wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thirst {
    /// With less it fails at once, and uses none.
    Least(u64),
    /// It fails, and uses all it gets.
    Endless,
}

impl fmt::Display for Starved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { any, children, gas } = self;
        let logic = if *any { "any" } else { "all" };
        writeln!(f, "  {logic} of, with at most {gas} gas")?;
        children
            .iter()
            .try_for_each(|(child, thirst)| writeln!(f, "    {child:?}, {thirst:?}"))
    }
}

fn any_starved() -> impl Strategy<Value = Starved> {
    // Of the 300,000 a term is asked with, the asking itself takes a few thousand, and a 64th stays behind twice.
    let thirst = prop_oneof![
        4 => (0..280_000_u64).prop_map(Thirst::Least),
        2 => select(vec![Thirst::Least(0), Thirst::Least(280_000)]),
        1 => Just(Thirst::Endless),
    ];
    let child = (0..70_usize, 0..40_usize, thirst).prop_map(|(data, label, thirst)| {
        let child = Child {
            entries: vec![(data, label)],
            logic: 0,
            negate: false,
            manner: Telling::Whole,
        };
        (child, thirst)
    });
    let input = (any::<bool>(), vec(child, 1..=4), 0..600_000_u32);
    input.prop_map(|(any, children, gas)| Starved { any, children, gas })
}

impl Starved {
    /// Has the children tell what they require, and makes them the terms of a tool.
    fn raise<'a>(&self, cast: &'a Cast, addresses: &[Address]) -> Result<Stage<'a>, String> {
        let mut stage = Stage::open(cast);
        let mut terms = Vec::new();
        for ((child, thirst), &predicate) in self.children.iter().zip(addresses) {
            let mut known = Vec::new();
            match *thirst {
                Thirst::Least(least) => {
                    let returndata = Bytes::from(child.encoded());
                    known.push((getRequirementsCall::SELECTOR, returndata.clone()));
                    let call = MinGasPredicate::setReturnDataCall {
                        minGas: least,
                        returndata,
                    };
                    stage.twin.world.call(cast.nowhere, predicate, &call);
                }
                Thirst::Endless => {
                    let code = InvalidOpcodeToken::DEPLOYED_BYTECODE.clone();
                    stage.twin.world.set_code(predicate, code);
                }
            }
            let known = Knowledge::Recital(known.into_iter().collect());
            stage.twin.tokens().add(predicate, known);
            terms.push(Term {
                predicate,
                negate: false,
            });
        }
        let call = setComposition_0Call {
            toolId: TOOL,
            op: u8::from(self.any),
            terms,
        };
        stage.set_up(TOOL, cast.contracts.composite, &call)?;
        Ok(stage)
    }

    /// With this much gas every child gets all it can get. The last one is asked with 300,000, of which a 64th must be kept;
    /// those before it, which are short, have used 40,000 each at most, their decoding and what is made of them included,
    /// or all they got.
    fn demand(&self) -> u64 {
        let endless = |(_, thirst): &&(_, Thirst)| *thirst == Thirst::Endless;
        let endless = self.children.iter().filter(endless).count() as u64;
        305_000 + 40_000 * self.children.len() as u64 + 300_000 * endless
    }
}

#[test]
fn too_little_gas_makes_an_entry_unknown_and_nothing_else() {
    let (cast, addresses) = with_children(&MinGasPredicate::BYTECODE);
    let (whole, unknown) = (Cell::new(0), Cell::new(0));
    property::holds(150, any_starved(), |starved| {
        let mut stage = starved.raise(&cast, &addresses)?;
        let call = getRequirementsCall { toolId: TOOL };
        let question = Transaction::call(cast.nowhere, cast.contracts.composite, &call);
        let least = question.least_gas();
        let demand = starved.demand();
        let on_the_way_down = (0..u64::from(starved.gas)).rev().step_by(9_973);
        for gas in [5_000_000, demand].into_iter().chain(on_the_way_down) {
            let question = question.clone().with_gas(least + gas);
            let receipt = stage.twin.world.try_out(&question);
            let told = receipt.returned::<getRequirementsCall>();
            let told = told.map(|told| told.requirements);
            // B-08: each in its place, as it is, or unknown if it does not tell or may have been starved.
            let is_right = |((child, thirst), entry): (&(Child, Thirst), &AccessRequirement)| {
                let is_told = [entry] == child.requirements().iter().collect::<Vec<_>>()[..];
                match thirst {
                    Thirst::Least(_) if is_told => true,
                    Thirst::Least(_) => gas < demand && entry.kind.is_zero(),
                    Thirst::Endless => entry.kind.is_zero(),
                }
            };
            let is_so = match &told {
                Some(told) => {
                    let mut each = starved.children.iter().zip(told);
                    told.len() == starved.children.len() && each.all(is_right)
                }
                None => gas < demand && lacks_gas(&receipt.outcome),
            };
            if !is_so {
                return Err(format!("with {gas} gas: {told:?}, {:?}", receipt.outcome));
            }
            let told = told.unwrap_or_default();
            let each = starved.children.iter().zip(&told);
            for (_, entry) in each.filter(|((_, thirst), _)| *thirst != Thirst::Endless) {
                let seen = if entry.kind.is_zero() {
                    &unknown
                } else {
                    &whole
                };
                seen.set(seen.get() + 1);
            }
        }
        Ok(())
    });
    assert!(
        whole.get() > 0 && unknown.get() > 0,
        "{} whole entries and {} unknown ones show little",
        whole.get(),
        unknown.get()
    );
}

/// Nothing else may come of it than running out: Solidity says nothing when what it called did.
fn lacks_gas(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Halted(reason) => reason.starts_with("OutOfGas"),
        Outcome::Reverted(data) => data.is_empty(),
        _ => false,
    }
}
