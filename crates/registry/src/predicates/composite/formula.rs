//! Formulas with ALL, ANY and NOT, and their conversion to clauses.

use super::{ExpressionError, MAX_TERMS};
use crate::Logic;

/// Maximum number of clauses while converting. Absorption can reduce it later.
const MAX_CLAUSES: usize = 64;

/// A leaf, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal<T> {
    pub(crate) leaf: T,
    pub(crate) negate: bool,
}

/// A formula. Negations are only at the leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula<T> {
    Literal(Literal<T>),
    Group(Logic, Vec<Self>),
}

/// Literals in clauses. The clauses combine with `logic`, the literals of a clause with the other logic.
pub(crate) struct Clauses<T> {
    pub(crate) logic: Logic,
    pub(crate) clauses: Vec<Vec<Literal<T>>>,
}

impl<T> Formula<T> {
    /// A group, or its only part.
    pub(crate) fn group(logic: Logic, mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.swap_remove(0);
        }
        Self::Group(logic, parts)
    }

    /// The literals, from left to right.
    pub(crate) fn literals(&self) -> Vec<&Literal<T>> {
        match self {
            Self::Literal(literal) => vec![literal],
            Self::Group(_, parts) => parts.iter().flat_map(Self::literals).collect(),
        }
    }
}

impl<T: Clone + PartialEq> Formula<T> {
    /// The clauses with the fewest literals that are equivalent in three-valued logic.
    pub(crate) fn to_clauses(&self) -> Result<Clauses<T>, ExpressionError> {
        let forms = [Logic::All, Logic::Any].into_iter().filter_map(|logic| {
            let clauses = self.clauses(logic)?;
            Some(Clauses { logic, clauses })
        });
        let size = |form: &Clauses<T>| form.clauses.iter().map(Vec::len).sum::<usize>();
        let smallest = forms.min_by_key(|form| {
            let is_flat = form.clauses.iter().all(|clause| clause.len() == 1);
            (size(form), !is_flat)
        });
        let smallest = smallest.ok_or(ExpressionError::TooLarge)?;
        match size(&smallest) {
            count if count > MAX_TERMS => Err(ExpressionError::TooManyTerms { count }),
            _ => Ok(smallest),
        }
    }

    /// Clauses that combine with `logic`. `None` above [`MAX_CLAUSES`].
    fn clauses(&self, logic: Logic) -> Option<Vec<Vec<Literal<T>>>> {
        let (group, parts) = match self {
            Self::Literal(literal) => return Some(vec![vec![literal.clone()]]),
            Self::Group(group, parts) => (*group, parts),
        };
        let parts = parts.iter().map(|part| part.clauses(logic));
        let mut parts = parts.collect::<Option<Vec<_>>>()?.into_iter();
        if group == logic {
            return absorb(parts.flatten().collect());
        }
        // Distributive law: one clause per choice of a clause of each part.
        let first = parts.next()?;
        parts.try_fold(first, |clauses, part| {
            let pairs = clauses
                .iter()
                .flat_map(|left| part.iter().map(move |right| union(left, right)));
            absorb(pairs.collect())
        })
    }
}

fn union<T: Clone + PartialEq>(left: &[Literal<T>], right: &[Literal<T>]) -> Vec<Literal<T>> {
    let mut clause = left.to_vec();
    let missing = right.iter().filter(|literal| !left.contains(literal));
    clause.extend(missing.cloned());
    clause
}

/// Removes clauses that contain all literals of another clause: `A or (A and B)` is `A`, also in three-valued logic.
fn absorb<T: PartialEq>(clauses: Vec<Vec<Literal<T>>>) -> Option<Vec<Vec<Literal<T>>>> {
    let mut kept: Vec<Vec<Literal<T>>> = Vec::new();
    for clause in clauses {
        let contains = |all: &[Literal<T>], some: &[Literal<T>]| {
            some.iter().all(|literal| all.contains(literal))
        };
        if kept.iter().any(|other| contains(&clause, other)) {
            continue;
        }
        kept.retain(|other| !contains(other, &clause));
        kept.push(clause);
        if kept.len() > MAX_CLAUSES {
            return None;
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::predicates::composite::kleene;

    impl<T: Clone + std::fmt::Debug + 'static> Formula<T> {
        /// Random formulas of these leaves.
        pub(crate) fn any_of(
            leaf: impl Strategy<Value = T> + 'static,
        ) -> impl Strategy<Value = Self> {
            let literal = (leaf, any::<bool>())
                .prop_map(|(leaf, negate)| Self::Literal(Literal { leaf, negate }));
            literal.prop_recursive(4, 24, 3, |inner| {
                let logic = any::<bool>().prop_map(|all| if all { Logic::All } else { Logic::Any });
                (logic, prop::collection::vec(inner, 2..4))
                    .prop_map(|(logic, parts)| Self::Group(logic, parts))
            })
        }
    }

    impl<T> Formula<T> {
        /// The value in three-valued logic.
        pub(crate) fn evaluate(&self, value: &impl Fn(&T) -> Option<bool>) -> Option<bool> {
            match self {
                Self::Literal(literal) => {
                    value(&literal.leaf).map(|granted| granted != literal.negate)
                }
                Self::Group(logic, parts) => {
                    kleene(*logic, parts.iter().map(|part| part.evaluate(value)))
                }
            }
        }
    }
}
