//! Kleene logic of composites over scripted leaves.

use std::{cell::Cell, fmt};

use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    CompositePredicate::{Term, setClausesCall},
    IAccessPredicate::hasAccessCall,
};
use atr_harness::{Behavior, Fork, Script, Transaction, model::Access};
use proptest::{prelude::*, sample::select};

use super::{
    composite_trees::{CompositeTrees, Deployed, TOOL, deploy_tree},
    execute::access_of,
    tree::{ALL_LEAVES, Leaf, any_check, decide},
};
use acceptance::property;

#[test]
fn composites_implement_kleene_logic() {
    let trees = CompositeTrees::deploy();
    let (tried, compared) = (Cell::new(0), Cell::new(0));
    property::holds(500, any_check(), |check| {
        let mut fixture = trees.fixture();
        let mut free = trees.composites.clone();
        let found = deploy_tree(&mut fixture, &trees, &mut free, &check.tree, check.leaf_gas)?;
        let Some(Deployed {
            root, is_enough, ..
        }) = found
        else {
            return Ok(());
        };
        let call = hasAccessCall {
            toolId: TOOL,
            account: trees.actors.eoa,
            data: check.bytes(),
        };
        let transaction = Transaction::call(trees.actors.eoa, root, &call);
        tried.set(tried.get() + 1);
        if !is_enough {
            return fixture
                .lockstep
                .send_with_limited_gas(&transaction)
                .map(drop);
        }
        compared.set(compared.get() + 1);
        let access = access_of(&fixture.lockstep.send(&transaction)?);
        let marker = keccak256("negatedTerm()");
        let is_negated = check.bytes() == marker[..4];
        if check.tree.depends_on_calldata() || (check.is_per_term && check.data == marker[..4]) {
            return Ok(());
        }
        // B-09
        match check.tree.access(is_negated) {
            expected if expected == access => Ok(()),
            expected => Err(format!("{access:?} instead of {expected:?}")),
        }
    });
    assert!(
        compared.get() * 2 > tried.get() || tried.get() < 20,
        "the result of most trees must be compared"
    );
}

#[test]
fn the_gas_limit_never_changes_the_result_of_a_composite() {
    let trees = CompositeTrees::deploy();
    property::holds(500, any_check(), |check| {
        let mut fixture = trees.fixture();
        let mut free = trees.composites.clone();
        let found = deploy_tree(&mut fixture, &trees, &mut free, &check.tree, check.leaf_gas)?;
        let Some(Deployed {
            root, is_enough, ..
        }) = found
        else {
            return Ok(());
        };
        let call = hasAccessCall {
            toolId: TOOL,
            account: trees.actors.eoa,
            data: check.bytes(),
        };
        let transaction = Transaction::call(trees.actors.eoa, root, &call);
        let minimum = transaction.minimum_gas();
        if is_enough {
            // At the ceiling and above, the result must match.
            if fixture.lockstep.model.shortage(&transaction).of_stipend {
                return Err("a term has less than its ceiling".into());
            }
            let ceiling = fixture.lockstep.model.gas_ceiling(&transaction);
            let ceiling = ceiling.ok_or("no ceiling")?;
            let enough = transaction.clone().with_gas(minimum + ceiling.gas);
            fixture.lockstep.send(&enough)?;
            fixture.lockstep.send(&transaction)?;
        }
        // Decreasing gas limits, in steps of a prime.
        for gas in (0..check.gas).rev().step_by(7_919) {
            fixture
                .lockstep
                .send_with_limited_gas(&transaction.clone().with_gas(minimum + u64::from(gas)))
                .map_err(|why| format!("with {gas} gas: {why}"))?;
        }
        Ok(())
    });
}

#[test]
fn the_zero_account_is_never_granted_access() {
    let trees = CompositeTrees::deploy();
    property::holds(200, any_check(), |check| {
        let mut fixture = trees.fixture();
        let mut free = trees.composites.clone();
        let found = deploy_tree(&mut fixture, &trees, &mut free, &check.tree, check.leaf_gas)?;
        let Some(Deployed { root, .. }) = found else {
            return Ok(());
        };
        let call = hasAccessCall {
            toolId: TOOL,
            account: Address::ZERO,
            data: check.bytes(),
        };
        let transaction = Transaction::call(trees.actors.eoa, root, &call);
        match access_of(&fixture.lockstep.send(&transaction)?) {
            Access::Granted => Err("granted".into()),
            _ => Ok(()),
        }
    });
}

#[test]
fn a_term_receives_its_full_stipend_or_is_not_called() {
    // Forks with EIP-7702.
    let trees = CompositeTrees::deploy_on(Fork::Prague);
    let delegator = trees.actors.eoa;
    let fork = select(vec![Fork::Prague, Fork::Amsterdam, Fork::Monad]);
    let stipends = (1..=5_u64, 22_000..30_000_u64, any::<(bool, bool)>(), fork);
    let stipends =
        (stipends, 0..997_u64).prop_map(|((terms, each, (negate, delegates), fork), offset)| {
            Stipends {
                terms,
                each,
                negate,
                delegates,
                fork,
                offset,
            }
        });
    property::holds(
        150,
        stipends,
        |Stipends {
             terms,
             each,
             negate,
             delegates,
             fork,
             offset,
         }| {
            let mut fixture = trees.fixture();
            let composite = trees.composites[0];
            let mut leaf = trees.leaves[0].2;
            if delegates {
                // An EOA that delegates to the leaf and has its own storage (EIP-7702).
                let designator = [&[0xef, 0x01, 0x00], leaf.as_slice()].concat();
                leaf = delegator;
                fixture.lockstep.world.set_code(leaf, designator);
                fixture.lockstep.model.environment.scripts.add(leaf);
            }
            // True with the full stipend, false with less, like a contract that catches out-of-gas errors.
            let script = Script {
                behavior: Behavior::CheckGas,
                length: 32,
                value: U256::from(each),
            };
            let call = script.setter(hasAccessCall::SELECTOR.into());
            let sender = trees.actors.creators[0];
            fixture.lockstep.world.call(sender, leaf, &call);
            let term = Term {
                predicate: leaf,
                negate,
            };
            let call = setClausesCall {
                toolId: TOOL,
                op: u8::from(negate),
                clauses: vec![vec![term]; terms as usize],
                stipends: vec![U256::from(each); terms as usize],
            };
            fixture.call_as_creator(TOOL, composite, &call)?;
            fixture.lockstep.world.set_fork(fork);
            let call = hasAccessCall {
                toolId: TOOL,
                account: trees.actors.eoa,
                data: Bytes::new(),
            };
            let transaction = Transaction::call(sender, composite, &call);
            let minimum = transaction.minimum_gas();
            // As `gasNeeded` reports it, with a reserve for the delegation; twice as much at other prices.
            let slack = fixture.lockstep.model.environment.gas_slack;
            let used = 9_000 + terms * (each + each / 63 + 4_000 + slack) + slack + 12_000;
            let enough = if fork == Fork::Prague { used } else { 2 * used };
            // Above the floor of the calldata's gas.
            let scan = (3_000 + offset..enough).rev().step_by(997);
            // Near the amounts at which a call is made or not.
            let boundary = |call: u64| 8_000 + call * (each + 3_500) + each + offset * 13;
            let near = (0..terms).flat_map(|call| {
                let from = boundary(call);
                (from.saturating_sub(800)..from).step_by(97)
            });
            for gas in [1_000_000, enough].into_iter().chain(scan).chain(near) {
                let transaction = transaction.clone().with_gas(minimum + gas);
                let access = access_of(&fixture.lockstep.world.simulate(&transaction));
                let may_be_unknown = gas < enough;
                if access != Access::from(!negate) && !(may_be_unknown && access == Access::Unknown)
                {
                    return Err(format!(
                        "with {gas} gas: {}",
                        fixture.lockstep.world.trace(&transaction)
                    ));
                }
            }
            Ok(())
        },
    );
}

#[derive(Clone, Copy, Debug)]
struct Stipends {
    terms: u64,
    each: u64,
    negate: bool,
    delegates: bool,
    fork: Fork,
    offset: u64,
}

impl fmt::Display for Stipends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            terms,
            each,
            negate,
            delegates,
            fork,
            offset,
        } = self;
        let not = if *negate { "negated " } else { "" };
        let delegating = if *delegates { "delegating " } else { "" };
        write!(
            f,
            "  {terms} {not}{delegating}terms of {each} gas each, on {fork}, offset {offset}"
        )
    }
}

#[test]
fn a_cycle_of_composites_never_changes_a_decided_result() {
    let trees = CompositeTrees::deploy();
    let leaf = select(ALL_LEAVES[..3].to_vec());
    let cycle = (leaf, any::<(bool, bool)>(), any::<(bool, bool)>()).prop_map(
        |(behavior, (first, second), negated)| Cycle {
            behavior,
            any: [first, second],
            negated,
        },
    );
    property::holds(
        200,
        cycle,
        |Cycle {
             behavior,
             any,
             negated,
         }| {
            let mut fixture = trees.fixture();
            let [first, second] = [trees.composites[0], trees.composites[1]];
            let leaf = trees
                .leaves
                .iter()
                .find(|leaf| leaf.0 == behavior && !leaf.1);
            let leaf = leaf.ok_or("unknown leaf")?.2;
            let term = |predicate, negate| Term { predicate, negate };
            // The inner one first: its term is not configured yet, and reports no gas.
            let settings = [
                (
                    second,
                    any[1],
                    [term(first, negated.1), term(leaf, false)],
                    15_000,
                ),
                (
                    first,
                    any[0],
                    [term(second, negated.0), term(leaf, false)],
                    60_000,
                ),
            ];
            for (composite, any, terms, each) in settings {
                let gas = vec![U256::from(each); terms.len()];
                let call = setClausesCall {
                    toolId: TOOL,
                    op: u8::from(any),
                    clauses: terms.into_iter().map(|term| vec![term]).collect(),
                    stipends: gas,
                };
                fixture.call_as_creator(TOOL, composite, &call)?;
            }
            let call = hasAccessCall {
                toolId: TOOL,
                account: trees.actors.eoa,
                data: Bytes::new(),
            };
            let transaction = Transaction::call(trees.actors.eoa, first, &call);
            let access = access_of(&fixture.lockstep.send_with_limited_gas(&transaction)?);
            // The innermost call is unknown. A result that is decided without it must be returned.
            let leaf = behavior.access();
            let inner = decide(any[1], &mut [Access::Unknown, leaf].into_iter());
            let inner = if negated.0 { inner.negated() } else { inner };
            match decide(any[0], &mut [inner, leaf].into_iter()) {
                Access::Unknown => Ok(()),
                expected if expected == access => Ok(()),
                expected => Err(format!("{access:?} instead of {expected:?}")),
            }
        },
    );
}

#[derive(Clone, Copy, Debug)]
struct Cycle {
    behavior: Leaf,
    any: [bool; 2],
    negated: (bool, bool),
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}
