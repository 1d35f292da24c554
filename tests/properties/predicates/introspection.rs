//! `getRequirements` of composites.

use std::{cell::Cell, fmt};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    AccessRequirement,
    CompositePredicate::{Term, setCompositionCall},
    IAccessPredicate::getRequirementsCall,
    NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID,
};
use atr_harness::{
    InvalidOpcodeToken, MinGasPredicate, Outcome, PresetResponseToken, Transaction,
    model::tokens::TokenState,
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    actors::Actors,
    composite_children::{Child, ChildBehavior, CompositeSpec, any_composite},
    fixture::Fixture,
};
use acceptance::property;

const TOOL: U256 = U256::ONE;

/// A world with eight contracts of this code.
fn with_children(code: &Bytes) -> (Actors, Vec<Address>) {
    let mut actors = Actors::deploy();
    let deploy = |number| {
        actors
            .world
            .deploy(&format!("child {number}"), code.clone())
    };
    let children = (0..8).map(deploy).collect();
    (actors, children)
}

/// Sets the responses of the children and makes them the terms of a tool.
fn compose<'a>(
    actors: &'a Actors,
    addresses: &[Address],
    spec: &CompositeSpec,
) -> Result<Fixture<'a>, String> {
    let mut fixture = Fixture::new(actors);
    let selector = getRequirementsCall::SELECTOR;
    let mut terms = Vec::new();
    for (child, &predicate) in spec.children.iter().zip(addresses) {
        let succeeds = child.behavior != ChildBehavior::Fails;
        let call = PresetResponseToken::setResponseCall {
            selector: selector.into(),
            success: succeeds,
            returndata: child.encoded().into(),
        };
        let receipt = fixture
            .lockstep
            .world
            .send(&Transaction::call(actors.eoa, predicate, &call));
        assert!(receipt.succeeded(), "the response is too long");
        let response = succeeds.then(|| (selector, Bytes::from(child.encoded())));
        let state = TokenState::FixedReturns(response.into_iter().collect());
        fixture.lockstep.tokens().add(predicate, state);
        terms.push(Term {
            predicate,
            negate: child.negate,
        });
    }
    let call = setCompositionCall {
        toolId: TOOL,
        op: u8::from(spec.any),
        terms,
    };
    fixture.call_as_creator(TOOL, actors.contracts.composite, &call)?;
    Ok(fixture)
}

#[test]
fn composite_requirements_are_bounded_and_include_every_valid_term() {
    let (actors, addresses) = with_children(&PresetResponseToken::BYTECODE);
    property::holds(300, any_composite(), |spec| {
        let mut fixture = compose(&actors, &addresses, &spec)?;
        let call = getRequirementsCall { toolId: TOOL };
        let receipt = fixture
            .lockstep
            .call(actors.eoa, actors.contracts.composite, &call)?;
        let returned = receipt
            .returned::<getRequirementsCall>()
            .ok_or("no requirements")?;
        let entries = returned.requirements;
        let is_bounded =
            |entry: &AccessRequirement| entry.data.len() <= 4_096 && entry.label.len() <= 256;
        if entries.len() > 256 || !entries.iter().all(is_bounded) {
            return Err("exceeds the limits".into());
        }
        // B-08: one unknown entry in place of each term that cannot be described, all others unchanged.
        let mut rest = entries.as_slice();
        for child in &spec.children {
            let count = match child.is_within_limits() && !child.negate {
                true if child.entries.len() == 1 => 1,
                true if (child.logic == 1) == spec.any => child.entries.len().max(1),
                _ => 1,
            };
            let (own, others) = rest.split_at_checked(count).ok_or("entries are missing")?;
            check(child, spec.any, own).map_err(|why| format!("{child:?} {why}: {own:?}"))?;
            rest = others;
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err("extra entries".into())
        }
    });
}

fn check(child: &Child, any: bool, own: &[AccessRequirement]) -> Result<(), &'static str> {
    let kind = own[0].kind;
    if kind.is_zero() {
        // A valid child can be too long when it is nested.
        let is_small = child
            .entries
            .iter()
            .map(|(data, label)| data + label + 300)
            .sum::<usize>()
            < 3_500;
        let must_be_included = child.is_valid() && is_small;
        return if must_be_included {
            Err("is valid but unknown")
        } else {
            Ok(())
        };
    }
    if child.behavior == ChildBehavior::UnknownKinds {
        let is_one = child.entries.len() == 1;
        return match is_one && child.negate {
            true => Err("is unknown but negated"),
            false => Ok(()),
        };
    }
    if !child.is_valid() {
        return Err("is invalid but included");
    }
    let is_inlined =
        child.entries.len() == 1 || (!child.entries.is_empty() && (child.logic == 1) == any);
    match (child.negate, is_inlined) {
        (true, _) if kind != NEGATED_REQUIREMENT_ID => Err("is negated but not marked"),
        (false, false) if kind != NESTED_REQUIREMENTS_ID => {
            Err("has another logic but is not nested")
        }
        (false, true) if own != child.requirements() => Err("was changed"),
        _ => Ok(()),
    }
}

/// A composite whose children return one entry each and need an amount of gas.
#[derive(Clone, Debug)]
struct LimitedGas {
    any: bool,
    children: Vec<(Child, GasNeed)>,
    gas: u32,
}

/// The gas that a child needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GasNeed {
    /// Fails at once with less.
    AtLeast(u64),
    /// Fails and burns all gas.
    Unlimited,
}

impl fmt::Display for LimitedGas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { any, children, gas } = self;
        let logic = if *any { "any" } else { "all" };
        writeln!(f, "  {logic} of, at most {gas} gas")?;
        children
            .iter()
            .try_for_each(|(child, need)| writeln!(f, "    {child:?}, {need:?}"))
    }
}

fn any_limited_gas() -> impl Strategy<Value = LimitedGas> {
    // A child receives less than the 300,000 gas of its introspection: twice 1/64 is kept, and decoding costs a few thousand.
    let need = prop_oneof![
        4 => (0..280_000_u64).prop_map(GasNeed::AtLeast),
        2 => select(vec![GasNeed::AtLeast(0), GasNeed::AtLeast(280_000)]),
        1 => Just(GasNeed::Unlimited),
    ];
    let child = (0..70_usize, 0..40_usize, need).prop_map(|(data, label, need)| {
        let child = Child {
            entries: vec![(data, label)],
            logic: 0,
            negate: false,
            behavior: ChildBehavior::Complete,
        };
        (child, need)
    });
    let input = (any::<bool>(), vec(child, 1..=4), 0..600_000_u32);
    input.prop_map(|(any, children, gas)| LimitedGas { any, children, gas })
}

impl LimitedGas {
    /// Sets the responses of the children and makes them the terms of a tool.
    fn compose<'a>(
        &self,
        actors: &'a Actors,
        addresses: &[Address],
    ) -> Result<Fixture<'a>, String> {
        let mut fixture = Fixture::new(actors);
        let mut terms = Vec::new();
        for ((child, need), &predicate) in self.children.iter().zip(addresses) {
            let mut responses = Vec::new();
            match *need {
                GasNeed::AtLeast(gas) => {
                    let returndata = Bytes::from(child.encoded());
                    responses.push((getRequirementsCall::SELECTOR, returndata.clone()));
                    let call = MinGasPredicate::setReturnDataCall {
                        minGas: gas,
                        returndata,
                    };
                    fixture.lockstep.world.call(actors.eoa, predicate, &call);
                }
                GasNeed::Unlimited => {
                    let code = InvalidOpcodeToken::DEPLOYED_BYTECODE.clone();
                    fixture.lockstep.world.set_code(predicate, code);
                }
            }
            let state = TokenState::FixedReturns(responses.into_iter().collect());
            fixture.lockstep.tokens().add(predicate, state);
            terms.push(Term {
                predicate,
                negate: false,
            });
        }
        let call = setCompositionCall {
            toolId: TOOL,
            op: u8::from(self.any),
            terms,
        };
        fixture.call_as_creator(TOOL, actors.contracts.composite, &call)?;
        Ok(fixture)
    }

    /// The gas with which every child receives its full 300,000: those before it have used at most 40,000 each, or all of it if they
    /// burn gas.
    fn enough_gas(&self) -> u64 {
        let is_unlimited = |(_, need): &&(_, GasNeed)| *need == GasNeed::Unlimited;
        let unlimited = self.children.iter().filter(is_unlimited).count() as u64;
        305_000 + 40_000 * self.children.len() as u64 + 300_000 * unlimited
    }
}

#[test]
fn insufficient_gas_only_makes_entries_unknown() {
    let (actors, addresses) = with_children(&MinGasPredicate::BYTECODE);
    let (complete, unknown) = (Cell::new(0), Cell::new(0));
    property::holds(150, any_limited_gas(), |input| {
        let mut fixture = input.compose(&actors, &addresses)?;
        let call = getRequirementsCall { toolId: TOOL };
        let transaction = Transaction::call(actors.eoa, actors.contracts.composite, &call);
        let minimum = transaction.minimum_gas();
        let enough = input.enough_gas();
        let decreasing = (0..u64::from(input.gas)).rev().step_by(9_973);
        for gas in [5_000_000, enough].into_iter().chain(decreasing) {
            let transaction = transaction.clone().with_gas(minimum + gas);
            let receipt = fixture.lockstep.world.simulate(&transaction);
            let returned = receipt.returned::<getRequirementsCall>();
            let entries = returned.map(|returned| returned.requirements);
            // B-08: each entry in order, unchanged, or unknown if the child fails or may have run out of gas.
            let is_right = |((child, need), entry): (&(Child, GasNeed), &AccessRequirement)| {
                let is_complete = [entry] == child.requirements().iter().collect::<Vec<_>>()[..];
                match need {
                    GasNeed::AtLeast(_) if is_complete => true,
                    GasNeed::AtLeast(_) => gas < enough && entry.kind.is_zero(),
                    GasNeed::Unlimited => entry.kind.is_zero(),
                }
            };
            let is_expected = match &entries {
                Some(entries) => {
                    let mut each = input.children.iter().zip(entries);
                    entries.len() == input.children.len() && each.all(is_right)
                }
                None => gas < enough && is_out_of_gas(&receipt.outcome),
            };
            if !is_expected {
                return Err(format!(
                    "with {gas} gas: {entries:?}, {:?}",
                    receipt.outcome
                ));
            }
            let entries = entries.unwrap_or_default();
            let each = input.children.iter().zip(&entries);
            for (_, entry) in each.filter(|((_, need), _)| *need != GasNeed::Unlimited) {
                let seen = if entry.kind.is_zero() {
                    &unknown
                } else {
                    &complete
                };
                seen.set(seen.get() + 1);
            }
        }
        Ok(())
    });
    assert!(
        complete.get() > 0 && unknown.get() > 0,
        "{} complete and {} unknown entries",
        complete.get(),
        unknown.get()
    );
}

/// Out of gas, or the revert without data with which Solidity passes on an inner out-of-gas.
fn is_out_of_gas(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Halted(reason) => reason.starts_with("OutOfGas"),
        Outcome::Reverted(data) => data.is_empty(),
        _ => false,
    }
}
