//! Deploys trees of composites over scripted leaves.

use alloy_primitives::{Address, FixedBytes, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use atr_bindings::{
    ACCESS_PREDICATE_ID, COMPOSITE_PREDICATE,
    CompositePredicate::{self, Term, setClausesCall},
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

/// A tree that was configured.
pub(crate) struct Deployed {
    pub(crate) root: Address,
    /// The gas that the root needs.
    gas: u64,
    /// Whether every leaf has enough gas.
    pub(crate) is_enough: bool,
}

/// Configures a tree from its leaves to its root, with the stipend `leaf_gas` for each leaf and what it reports as `gasNeeded` for
/// each composite. None if that exceeds the budget of a composite, which must be rejected then.
pub(crate) fn deploy_tree(
    fixture: &mut Fixture<'_>,
    trees: &CompositeTrees,
    free: &mut Vec<Address>,
    tree: &Tree,
    leaf_gas: u64,
) -> Result<Option<Deployed>, String> {
    let (any, clauses) = match tree {
        Tree::Leaf {
            behavior,
            reads_data,
        } => {
            let mut leaves = trees.leaves.iter();
            let found = leaves.find(|leaf| (leaf.0, leaf.1) == (*behavior, *reads_data));
            let (.., root) = *found.ok_or("unknown leaf")?;
            return Ok(Some(Deployed {
                root,
                gas: leaf_gas,
                is_enough: leaf_gas >= LEAF_GAS,
            }));
        }
        Tree::Node { any, clauses } => (any, clauses),
    };
    let (mut set, mut stipends, mut is_enough) = (Vec::new(), Vec::new(), true);
    for clause in clauses {
        let mut terms = Vec::new();
        for (negate, term) in clause {
            let Some(inner) = deploy_tree(fixture, trees, free, term, leaf_gas)? else {
                return Ok(None);
            };
            is_enough &= inner.is_enough;
            stipends.push(inner.gas);
            terms.push(Term {
                predicate: inner.root,
                negate: *negate,
            });
        }
        set.push(terms);
    }
    let root = free.pop().ok_or("the tree is too large")?;
    let call = setClausesCall {
        toolId: TOOL,
        op: u8::from(*any),
        clauses: set,
        stipends: stipends.iter().copied().map(U256::from).collect(),
    };
    let creator = fixture.creator(TOOL);
    let receipt = fixture.lockstep.call(creator, root, &call)?;
    let fits = stipends.len() <= 8 && stipends.iter().sum::<u64>() <= 156_000;
    if receipt.succeeded() != fits {
        return Err(format!("{stipends:?} is accepted or not"));
    }
    // As `ICompositePredicate` documents it.
    let slack = fixture.lockstep.model.environment.gas_slack;
    let each = stipends.iter().map(|gas| gas + gas / 63 + 4_000 + slack);
    let gas = 9_000 + slack + each.sum::<u64>();
    Ok(fits.then_some(Deployed {
        root,
        gas,
        is_enough,
    }))
}
