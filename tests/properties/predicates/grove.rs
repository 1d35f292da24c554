//! Where trees of predicates grow.

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
    cast::Cast,
    stage::Stage,
    tree::{ALL_SAYINGS, Says, Tree},
};

/// The tool whose predicates they are.
pub(crate) const TOOL: U256 = U256::ONE;

/// Enough for a scripted predicate to say anything.
const LEAF_GAS: u64 = 8_000;

/// A world with a leaf for everything that can be said, and as many composites as a tree can have.
pub(crate) struct Grove {
    pub(crate) cast: Cast,
    pub(crate) leaves: Vec<(Says, bool, Address)>,
    pub(crate) composites: Vec<Address>,
}

impl Grove {
    pub(crate) fn plant() -> Self {
        Self::plant_on(Fork::default())
    }

    pub(crate) fn plant_on(fork: Fork) -> Self {
        let mut cast = Cast::gather_on(fork);
        let mut leaves = Vec::new();
        for says in ALL_SAYINGS {
            for reads_data in [false, true] {
                let code = ScriptedPredicate::BYTECODE.clone();
                let leaf = cast.world.deploy(&format!("{says:?}"), code);
                for (question, script) in scripts(says, reads_data) {
                    cast.world
                        .call(cast.nowhere, leaf, &script.set_for(question));
                }
                leaves.push((says, reads_data, leaf));
            }
        }
        let registry = cast.contracts.registry;
        let constructor = CompositePredicate::constructorCall { registry }.abi_encode();
        let code = CodeSource::from_environment().creation_of(&COMPOSITE_PREDICATE);
        let creation = [code.to_vec(), constructor].concat();
        let deploy = |number| {
            cast.world
                .deploy(&format!("composite {number}"), creation.clone())
        };
        let composites = (0..40).map(deploy).collect();
        Self {
            cast,
            leaves,
            composites,
        }
    }

    pub(crate) fn open(&self) -> Stage<'_> {
        let mut stage = Stage::open(&self.cast);
        let book = &mut stage.twin.model.neighbours.scripts;
        for (says, reads_data, leaf) in &self.leaves {
            book.add(*leaf);
            for (question, script) in scripts(*says, *reads_data) {
                book.set(*leaf, question, script);
            }
        }
        for at in &self.composites {
            let model = Composite::new(*at, self.cast.contracts.registry);
            stage.twin.model.add(*at, model);
        }
        stage
    }
}

fn scripts(says: Says, reads_data: bool) -> [(FixedBytes<4>, Script); 4] {
    [
        (ERC165_ID, Script::returns(1)),
        (ACCESS_PREDICATE_ID, Script::returns(1)),
        (READS_CALL_DATA_ID, Script::returns(reads_data.into())),
        (hasAccessCall::SELECTOR.into(), says.script()),
    ]
}

/// Sets a tree up from its leaves to its root, which gets `gas` for its terms, and says where the root is and whether every
/// term has enough.
pub(crate) fn grow(
    stage: &mut Stage<'_>,
    grove: &Grove,
    free: &mut Vec<Address>,
    tree: &Tree,
    gas: u64,
) -> Result<(Address, bool), String> {
    let (any, terms) = match tree {
        Tree::Leaf { says, reads_data } => {
            let found = grove
                .leaves
                .iter()
                .find(|leaf| (leaf.0, leaf.1) == (*says, *reads_data));
            let (.., leaf) = found.ok_or("no such leaf")?;
            return Ok((*leaf, gas >= LEAF_GAS));
        }
        Tree::Node { any, terms } => (any, terms),
    };
    // What the manual of the composite says a nested one may have.
    let count = terms.len() as u64;
    let budget = gas
        .saturating_sub(gas / 64 + 11_000 + 3_500 * count)
        .clamp(8, 150_000);
    let mut is_enough = budget > 8;
    let mut set = Vec::new();
    for (negate, term) in terms {
        let (predicate, has_enough) = grow(stage, grove, free, term, budget / count)?;
        is_enough &= has_enough;
        set.push(Term {
            predicate,
            negate: *negate,
        });
    }
    let composite = free.pop().ok_or("too large a tree")?;
    let call = setComposition_1Call {
        toolId: TOOL,
        op: u8::from(*any),
        terms: set,
        budget: U256::from(budget),
    };
    stage.set_up(TOOL, composite, &call)?;
    Ok((composite, is_enough))
}
