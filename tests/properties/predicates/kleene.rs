//! Composites: Kleene logic over trees of predicates that say what they are told to.

use std::{cell::Cell, fmt};

use alloy_primitives::{Bytes, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{Term, setComposition_1Call},
    IAccessPredicate::hasAccessCall,
};
use atr_harness::{Fork, Manner, Script, Transaction, model::Answer};
use proptest::{prelude::*, sample::select};

use super::{
    grove::{Grove, TOOL, grow},
    play::answer_of,
    tree::{ALL_SAYINGS, Says, any_asked, not},
};
use crate::property;

/// What the registry gives a predicate, and what the outermost composite may use of it.
const MOST_GAS: u64 = 200_000;

#[test]
fn a_composite_is_kleene_over_its_terms() {
    let grove = Grove::plant();
    let (tried, held_to_it) = (Cell::new(0), Cell::new(0));
    property::holds(500, any_asked(), |asked| {
        let mut stage = grove.open();
        let mut free = grove.composites.clone();
        let (root, is_enough) = grow(&mut stage, &grove, &mut free, &asked.tree, MOST_GAS)?;
        let question = hasAccessCall {
            toolId: TOOL,
            account: grove.cast.nowhere,
            data: asked.bytes(),
        };
        let question = Transaction::call(grove.cast.nowhere, root, &question);
        tried.set(tried.get() + 1);
        if !is_enough {
            return stage.twin.send_starved(&question).map(drop);
        }
        held_to_it.set(held_to_it.get() + 1);
        let answer = answer_of(&stage.twin.send(&question)?);
        let marker = keccak256("negatedTerm()");
        let is_negated = asked.bytes() == marker[..4];
        if asked.tree.depends_on_question() || (asked.is_per_term && asked.data == marker[..4]) {
            return Ok(());
        }
        // B-09
        match asked.tree.answer(is_negated) {
            expected if expected == answer => Ok(()),
            expected => Err(format!("{answer:?} instead of {expected:?}")),
        }
    });
    assert!(
        held_to_it.get() * 2 > tried.get() || tried.get() < 20,
        "most trees must be held to their answer"
    );
}

#[test]
fn no_gas_a_caller_picks_turns_an_answer_of_a_composite_into_another() {
    let grove = Grove::plant();
    property::holds(500, any_asked(), |asked| {
        let mut stage = grove.open();
        let mut free = grove.composites.clone();
        let (root, is_enough) = grow(&mut stage, &grove, &mut free, &asked.tree, MOST_GAS)?;
        let question = hasAccessCall {
            toolId: TOOL,
            account: grove.cast.nowhere,
            data: asked.bytes(),
        };
        let question = Transaction::call(grove.cast.nowhere, root, &question);
        let least = question.least_gas();
        if is_enough {
            // With what it needs by its manual, and with plenty, there is no choice left.
            let around = stage.twin.model.neighbours.around();
            let need = around.gas_needed(root, &question.data);
            if need.terms_are_short {
                return Err("the manual says every term has enough".into());
            }
            let enough = question.clone().with_gas(least + need.gas);
            stage.twin.send(&enough)?;
            stage.twin.send(&question)?;
        }
        // Every gas on the way down from what was picked, in steps that are no multiple of anything.
        for gas in (0..asked.gas).rev().step_by(7_919) {
            stage
                .twin
                .send_starved(&question.clone().with_gas(least + u64::from(gas)))
                .map_err(|why| format!("with {gas} gas: {why}"))?;
        }
        Ok(())
    });
}

#[test]
fn a_term_gets_its_gas_in_full_or_is_not_asked() {
    // The oldest fork on which an account can delegate.
    let grove = Grove::plant_on(Fork::Prague);
    let delegator = grove.cast.nowhere;
    let given = (1..=8_u64, 8_000..18_000_u64, any::<(bool, bool)>());
    let given =
        (given, 0..220_000_u32).prop_map(|((terms, each, (negate, delegates)), gas)| Given {
            terms,
            each,
            negate,
            delegates,
            gas,
        });
    property::holds(
        150,
        given,
        |Given {
             terms,
             each,
             negate,
             delegates,
             gas,
         }| {
            let mut stage = grove.open();
            let composite = grove.composites[0];
            let mut leaf = grove.leaves[0].2;
            if delegates {
                // An account that runs the code of the leaf, on its own storage (EIP-7702).
                let designator = [&[0xef, 0x01, 0x00], leaf.as_slice()].concat();
                leaf = delegator;
                stage.twin.world.set_code(leaf, designator);
                stage.twin.model.neighbours.scripts.add(leaf);
            }
            // Yes if it got all its gas, no with less: whoever swallows running out of gas is like that.
            let script = Script {
                manner: Manner::CountsGas,
                length: 32,
                word: U256::from(each),
            };
            let call = script.set_for(hasAccessCall::SELECTOR.into());
            let somebody = grove.cast.creators[0];
            stage.twin.world.call(somebody, leaf, &call);
            let term = Term {
                predicate: leaf,
                negate,
            };
            let call = setComposition_1Call {
                toolId: TOOL,
                op: u8::from(negate),
                terms: vec![term; terms as usize],
                budget: U256::from(terms * each),
            };
            stage.set_up(TOOL, composite, &call)?;
            let question = hasAccessCall {
                toolId: TOOL,
                account: grove.cast.nowhere,
                data: Bytes::new(),
            };
            let question = Transaction::call(somebody, composite, &question);
            let least = question.least_gas();
            // What the manual of the composite says it takes. Code that is delegated to is found once, and each time it
            // might have to be.
            let found = if delegates { 2 * 2_600 } else { 0 };
            let used = 11_000 + terms * (each + 3_500) + found;
            let demand = used + used / 63;
            let on_the_way_down = (0..u64::from(gas)).rev().step_by(997);
            for gas in [1_000_000, demand].into_iter().chain(on_the_way_down) {
                let question = question.clone().with_gas(least + gas);
                let answer = answer_of(&stage.twin.world.try_out(&question));
                let may_be_none = gas < demand;
                if answer != Answer::from(!negate) && !(may_be_none && answer == Answer::Unknown) {
                    return Err(format!(
                        "with {gas} gas: {}",
                        stage.twin.world.trace(&question)
                    ));
                }
            }
            Ok(())
        },
    );
}

#[derive(Clone, Copy, Debug)]
struct Given {
    terms: u64,
    each: u64,
    negate: bool,
    delegates: bool,
    gas: u32,
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            terms,
            each,
            negate,
            delegates,
            gas,
        } = self;
        let not = if *negate { "negated " } else { "" };
        let delegating = if *delegates { "delegating " } else { "" };
        write!(
            f,
            "  {terms} {not}{delegating}terms of {each} gas each, asked with at most {gas}"
        )
    }
}

#[test]
fn a_cycle_of_composites_says_only_what_holds_without_it() {
    let grove = Grove::plant();
    let says = select(ALL_SAYINGS[..3].to_vec());
    let cycle = (says, any::<(bool, bool)>(), any::<(bool, bool)>()).prop_map(
        |(says, (first, second), negated)| Cycle {
            says,
            any: [first, second],
            negated,
        },
    );
    property::holds(200, cycle, |Cycle { says, any, negated }| {
        let mut stage = grove.open();
        let [one, other] = [grove.composites[0], grove.composites[1]];
        let leaf = grove.leaves.iter().find(|leaf| leaf.0 == says && !leaf.1);
        let leaf = leaf.ok_or("no such leaf")?.2;
        let term = |predicate, negate| Term { predicate, negate };
        let settings = [
            (
                one,
                any[0],
                vec![term(other, negated.0), term(leaf, false)],
                120_000,
            ),
            (
                other,
                any[1],
                vec![term(one, negated.1), term(leaf, false)],
                30_000,
            ),
        ];
        for (composite, any, terms, budget) in settings {
            let call = setComposition_1Call {
                toolId: TOOL,
                op: u8::from(any),
                terms,
                budget: U256::from(budget),
            };
            stage.set_up(TOOL, composite, &call)?;
        }
        let question = hasAccessCall {
            toolId: TOOL,
            account: grove.cast.nowhere,
            data: Bytes::new(),
        };
        let question = Transaction::call(grove.cast.nowhere, one, &question);
        let answer = answer_of(&stage.twin.send_starved(&question)?);
        // The innermost cannot tell; what holds all the same must be said.
        let leaf = says.answer();
        let of_other = decide(any[1], [Answer::Unknown, leaf]);
        let of_other = if negated.0 { not(of_other) } else { of_other };
        match decide(any[0], [of_other, leaf]) {
            Answer::Unknown => Ok(()),
            expected if expected == answer => Ok(()),
            expected => Err(format!("{answer:?} instead of {expected:?}")),
        }
    });
}

fn decide(any: bool, answers: [Answer; 2]) -> Answer {
    match any {
        true => answers[0].max(answers[1]),
        false => answers[0].min(answers[1]),
    }
}

#[derive(Clone, Copy, Debug)]
struct Cycle {
    says: Says,
    any: [bool; 2],
    negated: (bool, bool),
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}
