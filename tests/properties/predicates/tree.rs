//! Trees of predicates and their result by definition.

use std::fmt;

use alloy_primitives::{Bytes, U256, keccak256};
use atr_harness::{Behavior, Script, model::Access};
use proptest::{collection::vec, prelude::*, sample::select};

use super::data::per_term;

/// The behavior of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Grants,
    Denies,
    Fails(Behavior),
    /// Returns a word that is not a bool.
    ReturnsTwo,
    /// Returns true followed by another word.
    ReturnsTwoWords,
    /// Returns a bit of the hash of its calldata, which shows the data it received.
    HashesCalldata,
}

pub(crate) const ALL_LEAVES: [Leaf; 9] = [
    Leaf::Grants,
    Leaf::Denies,
    Leaf::Fails(Behavior::Revert),
    Leaf::Fails(Behavior::BurnGas),
    Leaf::Fails(Behavior::InvalidOpcode),
    Leaf::Fails(Behavior::WriteStorage),
    Leaf::ReturnsTwo,
    Leaf::ReturnsTwoWords,
    Leaf::HashesCalldata,
];

impl Leaf {
    pub(crate) fn script(self) -> Script {
        let (behavior, length, value) = match self {
            Self::Grants => (Behavior::Return, 32, 1),
            Self::Denies => (Behavior::Return, 32, 0),
            Self::Fails(behavior) => (behavior, 32, 1),
            Self::ReturnsTwo => (Behavior::Return, 32, 2),
            Self::ReturnsTwoWords => (Behavior::Return, 64, 1),
            Self::HashesCalldata => (Behavior::HashCalldata, 32, 0),
        };
        Script {
            behavior,
            length,
            value: U256::from(value),
        }
    }

    pub(crate) fn access(self) -> Access {
        match self {
            Self::Grants => Access::Granted,
            Self::Denies => Access::Denied,
            _ => Access::Unknown,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Leaf {
        behavior: Leaf,
        reads_data: bool,
    },
    Node {
        any: bool,
        clauses: Vec<Vec<(bool, Self)>>,
    },
}

impl Tree {
    /// By definition: ALL is the minimum, ANY the maximum, and a clause has the other operator. A leaf that reads data is unknown
    /// under a negation.
    pub(crate) fn access(&self, is_negated: bool) -> Access {
        match self {
            Self::Leaf {
                reads_data: true, ..
            } if is_negated => Access::Unknown,
            Self::Leaf { behavior, .. } => behavior.access(),
            Self::Node { any, clauses } => {
                let term = |(negate, term): &(bool, Self)| {
                    let access = term.access(is_negated || *negate);
                    if *negate { access.negated() } else { access }
                };
                let clause = |terms: &Vec<_>| decide(!any, &mut terms.iter().map(term));
                decide(*any, &mut clauses.iter().map(clause))
            }
        }
    }

    pub(crate) fn depends_on_calldata(&self) -> bool {
        match self {
            Self::Leaf { behavior, .. } => *behavior == Leaf::HashesCalldata,
            Self::Node { clauses, .. } => {
                let mut terms = clauses.iter().flatten();
                terms.any(|(_, term)| term.depends_on_calldata())
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf {
                behavior,
                reads_data,
            } => {
                write!(
                    f,
                    "{behavior:?}{}",
                    if *reads_data { " (reads data)" } else { "" }
                )
            }
            Self::Node { any, clauses } => {
                f.write_str(if *any { "ANY(" } else { "ALL(" })?;
                for (index, clause) in clauses.iter().enumerate() {
                    f.write_str(if index == 0 { "[" } else { ", [" })?;
                    for (index, (negate, term)) in clause.iter().enumerate() {
                        let comma = if index == 0 { "" } else { ", " };
                        write!(f, "{comma}{}{term}", if *negate { "NOT " } else { "" })?;
                    }
                    f.write_str("]")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A tree and the `data` of its access check.
#[derive(Clone, Debug)]
pub(crate) struct TreeCheck {
    pub(crate) tree: Tree,
    pub(crate) data: Vec<u8>,
    pub(crate) is_per_term: bool,
    /// The stipend of each leaf.
    pub(crate) leaf_gas: u64,
    pub(crate) gas: u32,
}

impl fmt::Display for TreeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_term = if self.is_per_term { " per term" } else { "" };
        write!(
            f,
            "  {}, data {:02x?}{per_term}, {} gas, {} per leaf",
            self.tree, self.data, self.gas, self.leaf_gas
        )
    }
}

impl TreeCheck {
    /// The same entry per term of the root, or the same data for all.
    pub(crate) fn bytes(&self) -> Bytes {
        match &self.tree {
            Tree::Node { clauses, .. } if self.is_per_term => {
                let terms = clauses.iter().flatten().count();
                per_term(vec![self.data.clone().into(); terms]).into()
            }
            _ => self.data.clone().into(),
        }
    }
}

pub(crate) fn any_check() -> impl Strategy<Value = TreeCheck> {
    let leaf = (select(ALL_LEAVES.to_vec()), any::<bool>()).prop_map(|(behavior, reads_data)| {
        Tree::Leaf {
            behavior,
            reads_data,
        }
    });
    let tree = leaf.prop_recursive(3, 12, 3, |inner| {
        // A composite rejects the negation of a predicate that reads data.
        let term = (any::<bool>(), inner)
            .prop_map(|(negate, term)| (negate && !reads_data(&term), term))
            .boxed();
        let clause = prop_oneof![vec(term.clone(), 1), vec(term, 1..=3)];
        (any::<bool>(), vec(clause, 0..=3)).prop_map(|(any, clauses)| Tree::Node { any, clauses })
    });
    let marker = keccak256("negatedTerm()")[..4].to_vec();
    let data = prop_oneof![2 => vec(any::<u8>(), 0..8), 1 => Just(marker)];
    // The smaller stipend is not enough for a leaf that reads storage.
    let leaf_gas = prop_oneof![9 => Just(8_000), 1 => Just(4_000)];
    let check = (tree, data, any::<bool>(), leaf_gas, 0..220_000_u32);
    check.prop_map(|(tree, data, is_per_term, leaf_gas, gas)| {
        TreeCheck {
            // The root must be a composite.
            tree: match tree {
                Tree::Leaf { .. } => Tree::Node {
                    any: false,
                    clauses: vec![vec![(false, tree)]],
                },
                node @ Tree::Node { .. } => node,
            },
            data,
            is_per_term,
            leaf_gas,
            gas,
        }
    })
}

/// The result of ALL or ANY.
pub(crate) fn decide(any: bool, results: &mut dyn Iterator<Item = Access>) -> Access {
    let decisive = if any { results.max() } else { results.min() };
    decisive.unwrap_or(Access::Denied)
}

fn reads_data(tree: &Tree) -> bool {
    matches!(
        tree,
        Tree::Leaf {
            reads_data: true,
            ..
        }
    )
}
