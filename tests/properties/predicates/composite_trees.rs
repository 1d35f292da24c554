//! Deploys trees of composites over scripted leaves.

use alloy_primitives::{Address, FixedBytes, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use atr_bindings::{
    ACCESS_PREDICATE_ID, COMPOSITE_PREDICATE,
    CompositePredicate::{self, Term, setComposition_1Call},
    ERC165_ID,
    IAccessPredicate::hasAccessCall,
    READS_CALL_DATA_ID,
};
use atr_harness::{CodeSource, Fork, Script, ScriptedPredicate, model::predicates::Composite};

use super::{
    actors::Actors,
    fixture::Fixture,
    tree::{ALL_LEAVES, Leaf, Tree},
};

/// The tool of all compositions.
pub(crate) const TOOL: U256 = U256::ONE;

/// Enough for every scripted response.
const LEAF_GAS: u64 = 8_000;

/// A world with a leaf of every behavior and as many composites as a tree can have.
pub(crate) struct CompositeTrees {
    pub(crate) actors: Actors,
    pub(crate) leaves: Vec<(Leaf, bool, Address)>,
    pub(crate) composites: Vec<Address>,
}

impl CompositeTrees {
    pub(crate) fn deploy() -> Self {
        Self::deploy_on(Fork::default())
    }

    pub(crate) fn deploy_on(fork: Fork) -> Self {
        let mut actors = Actors::deploy_on(fork);
        let mut leaves = Vec::new();
        for behavior in ALL_LEAVES {
            for reads_data in [false, true] {
                let code = ScriptedPredicate::BYTECODE.clone();
                let leaf = actors.world.deploy(&format!("{behavior:?}"), code);
                for (key, script) in scripts(behavior, reads_data) {
                    actors.world.call(actors.eoa, leaf, &script.setter(key));
                }
                leaves.push((behavior, reads_data, leaf));
            }
        }
        let registry = actors.contracts.registry;
        let constructor = CompositePredicate::constructorCall { registry }.abi_encode();
        let code = CodeSource::from_environment().creation_code(&COMPOSITE_PREDICATE);
        let creation = [code.to_vec(), constructor].concat();
        let deploy = |number| {
            actors
                .world
                .deploy(&format!("composite {number}"), creation.clone())
        };
        let composites = (0..40).map(deploy).collect();
        Self {
            actors,
            leaves,
            composites,
        }
    }

    pub(crate) fn fixture(&self) -> Fixture<'_> {
        let mut fixture = Fixture::new(&self.actors);
        let scripts = &mut fixture.lockstep.model.environment.scripts;
        for (behavior, reads_data, leaf) in &self.leaves {
            scripts.add(*leaf);
            for (key, script) in self::scripts(*behavior, *reads_data) {
                scripts.set(*leaf, key, script);
            }
        }
        for at in &self.composites {
            let model = Composite::new(*at, self.actors.contracts.registry);
            fixture.lockstep.model.add(*at, model);
        }
        fixture
    }
}

fn scripts(behavior: Leaf, reads_data: bool) -> [(FixedBytes<4>, Script); 4] {
    [
        (ERC165_ID, Script::returns(1)),
        (ACCESS_PREDICATE_ID, Script::returns(1)),
        (READS_CALL_DATA_ID, Script::returns(reads_data.into())),
        (hasAccessCall::SELECTOR.into(), behavior.script()),
    ]
}

/// Configures a tree from its leaves to its root, which receives `gas`. Returns the root and whether every term has enough gas.
pub(crate) fn deploy_tree(
    fixture: &mut Fixture<'_>,
    trees: &CompositeTrees,
    free: &mut Vec<Address>,
    tree: &Tree,
    gas: u64,
) -> Result<(Address, bool), String> {
    let (any, terms) = match tree {
        Tree::Leaf {
            behavior,
            reads_data,
        } => {
            let found = trees
                .leaves
                .iter()
                .find(|leaf| (leaf.0, leaf.1) == (*behavior, *reads_data));
            let (.., leaf) = found.ok_or("unknown leaf")?;
            return Ok((*leaf, gas >= LEAF_GAS));
        }
        Tree::Node { any, terms } => (any, terms),
    };
    // The budget of a nested composite as `ICompositePredicate` documents it.
    let count = terms.len() as u64;
    let budget = gas
        .saturating_sub(gas / 64 + 11_000 + 3_500 * count)
        .clamp(8, 150_000);
    let mut is_enough = budget > 8;
    let mut set = Vec::new();
    for (negate, term) in terms {
        let (predicate, has_enough) = deploy_tree(fixture, trees, free, term, budget / count)?;
        is_enough &= has_enough;
        set.push(Term {
            predicate,
            negate: *negate,
        });
    }
    let composite = free.pop().ok_or("the tree is too large")?;
    let call = setComposition_1Call {
        toolId: TOOL,
        op: u8::from(*any),
        terms: set,
        budget: U256::from(budget),
    };
    fixture.call_as_creator(TOOL, composite, &call)?;
    Ok((composite, is_enough))
}
