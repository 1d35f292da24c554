//! Trees of predicates, and what they must answer by definition.

use std::fmt;

use alloy_primitives::{Bytes, U256, keccak256};
use atr_harness::{Manner, Script, model::Answer};
use proptest::{collection::vec, prelude::*, sample::select};

use super::data::per_term;

/// What a leaf says, and what it does when it says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Yes,
    No,
    Nothing(Manner),
    /// A word that is no bool.
    Two,
    /// A yes with something behind it.
    YesAndMore,
    /// Yes or no by the hash of the question: shows which data it was given.
    ByQuestion,
}

pub(crate) const ALL_SAYINGS: [Says; 9] = [
    Says::Yes,
    Says::No,
    Says::Nothing(Manner::Reverts),
    Says::Nothing(Manner::BurnsGas),
    Says::Nothing(Manner::IsInvalid),
    Says::Nothing(Manner::Writes),
    Says::Two,
    Says::YesAndMore,
    Says::ByQuestion,
];

impl Says {
    pub(crate) fn script(self) -> Script {
        let (manner, length, word) = match self {
            Self::Yes => (Manner::Returns, 32, 1),
            Self::No => (Manner::Returns, 32, 0),
            Self::Nothing(manner) => (manner, 32, 1),
            Self::Two => (Manner::Returns, 32, 2),
            Self::YesAndMore => (Manner::Returns, 64, 1),
            Self::ByQuestion => (Manner::ReadsQuestion, 32, 0),
        };
        Script {
            manner,
            length,
            word: U256::from(word),
        }
    }

    pub(crate) fn answer(self) -> Answer {
        match self {
            Self::Yes => Answer::Yes,
            Self::No => Answer::No,
            _ => Answer::Unknown,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Leaf { says: Says, reads_data: bool },
    Node { any: bool, terms: Vec<(bool, Self)> },
}

impl Tree {
    /// From the definition: all is the minimum, any the maximum, not is the mirror image; who reads data is not heard
    /// under a negation.
    pub(crate) fn answer(&self, is_negated: bool) -> Answer {
        match self {
            Self::Leaf {
                reads_data: true, ..
            } if is_negated => Answer::Unknown,
            Self::Leaf { says, .. } => says.answer(),
            Self::Node { any, terms } => {
                let answers = terms.iter().map(|(negate, term)| {
                    let answer = term.answer(is_negated || *negate);
                    if *negate { not(answer) } else { answer }
                });
                let decisive = if *any { answers.max() } else { answers.min() };
                decisive.unwrap_or(Answer::No)
            }
        }
    }

    pub(crate) fn depends_on_question(&self) -> bool {
        match self {
            Self::Leaf { says, .. } => *says == Says::ByQuestion,
            Self::Node { terms, .. } => terms.iter().any(|(_, term)| term.depends_on_question()),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf { says, reads_data } => {
                write!(
                    f,
                    "{says:?}{}",
                    if *reads_data { " (reads data)" } else { "" }
                )
            }
            Self::Node { any, terms } => {
                f.write_str(if *any { "ANY(" } else { "ALL(" })?;
                for (index, (negate, term)) in terms.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}{term}", if *negate { "NOT " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A tree, and what is handed over.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) tree: Tree,
    pub(crate) data: Vec<u8>,
    pub(crate) is_per_term: bool,
    pub(crate) gas: u32,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_term = if self.is_per_term {
            " for each term"
        } else {
            ""
        };
        write!(
            f,
            "  {}, given {:02x?}{per_term}, {} gas",
            self.tree, self.data, self.gas
        )
    }
}

impl Asked {
    /// The same entry for each term of the outermost composite, or the same data for all.
    pub(crate) fn bytes(&self) -> Bytes {
        match &self.tree {
            Tree::Node { terms, .. } if self.is_per_term => {
                per_term(vec![self.data.clone().into(); terms.len()]).into()
            }
            _ => self.data.clone().into(),
        }
    }
}

pub(crate) fn any_asked() -> impl Strategy<Value = Asked> {
    let leaf = (select(ALL_SAYINGS.to_vec()), any::<bool>())
        .prop_map(|(says, reads_data)| Tree::Leaf { says, reads_data });
    let tree = leaf.prop_recursive(3, 12, 3, |inner| {
        (any::<bool>(), vec((any::<bool>(), inner), 0..=3)).prop_map(|(any, terms)| Tree::Node {
            any,
            // A composite refuses to negate who reads data.
            terms: terms
                .into_iter()
                .map(|(negate, term)| (negate && !reads(&term), term))
                .collect(),
        })
    });
    let marker = keccak256("negatedTerm()")[..4].to_vec();
    let data = prop_oneof![2 => vec(any::<u8>(), 0..8), 1 => Just(marker)];
    (tree, data, any::<bool>(), 0..220_000_u32).prop_map(|(tree, data, is_per_term, gas)| Asked {
        // The outermost is a composite, or there is nothing to try.
        tree: match tree {
            Tree::Leaf { .. } => Tree::Node {
                any: false,
                terms: vec![(false, tree)],
            },
            node @ Tree::Node { .. } => node,
        },
        data,
        is_per_term,
        gas,
    })
}

/// The mirror image.
pub(crate) const fn not(answer: Answer) -> Answer {
    match answer {
        Answer::Yes => Answer::No,
        Answer::No => Answer::Yes,
        Answer::Unknown => Answer::Unknown,
    }
}

pub(crate) fn reads(tree: &Tree) -> bool {
    matches!(
        tree,
        Tree::Leaf {
            reads_data: true,
            ..
        }
    )
}
