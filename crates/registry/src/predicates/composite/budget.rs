//! Gas of the terms of a composite.

use serde::Serialize;

/// Maximum sum of the stipends of the terms.
pub const MAX_BUDGET: u64 = 156_000;

/// Least stipend of a term, for a predicate that does not report what it needs.
const MIN_TERM_GAS: u64 = 3_000;

/// The gas that a term needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TermGas {
    /// `gasNeeded` of the predicate, which assumes plain tokens and Ethereum's gas prices; `None` if it reports nothing.
    pub reported: Option<u64>,
    /// Gas used by an access check on this chain; `None` if it failed.
    pub measured: Option<u64>,
}

impl TermGas {
    /// The least stipend that the composite accepts for the term.
    #[must_use]
    pub fn min(self) -> u64 {
        self.reported.unwrap_or(0).max(MIN_TERM_GAS)
    }
}

/// The stipends that the composite chooses by default: what each term needs and an equal share of the rest. `None` if the terms
/// need more than [`MAX_BUDGET`].
#[must_use]
pub fn default_term_gas(terms: &[TermGas]) -> Option<Vec<u64>> {
    let needs: Vec<_> = terms.iter().map(|term| term.min()).collect();
    let rest = MAX_BUDGET.checked_sub(needs.iter().sum())?;
    let share = rest / (terms.len().max(1) as u64);
    Some(needs.into_iter().map(|need| need + share).collect())
}

/// Unequal shares: terms with a measured need get it with a margin, the other terms share the rest. `None` if that is not
/// possible.
#[must_use]
pub fn share_budget(terms: &[TermGas]) -> Option<Vec<u64>> {
    let needs: Vec<_> = terms
        .iter()
        .map(|term| {
            term.min()
                .max(term.measured.map_or(0, super::super::with_margin))
        })
        .collect();
    let rest = MAX_BUDGET.checked_sub(needs.iter().sum())?;
    let open = terms.iter().filter(|term| term.measured.is_none()).count() as u64;
    let share = rest.checked_div(open)?;
    let shares = needs.into_iter().zip(terms);
    Some(
        shares
            .map(|(need, term)| match term.measured {
                Some(_) => need,
                None => need + share,
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn term(reported: u64, measured: Option<u64>) -> TermGas {
        TermGas {
            reported: Some(reported),
            measured,
        }
    }

    #[test]
    fn by_default_the_rest_of_the_budget_is_shared_equally() {
        let gas = default_term_gas(&[term(20_000, None), term(40_000, None), TermGas::default()]);
        // 156,000 - 63,000 = 3 * 31,000
        assert_eq!(gas, Some(vec![51_000, 71_000, 34_000]));
        assert_eq!(default_term_gas(&[]), Some(vec![]));
        assert_eq!(default_term_gas(&[term(100_000, None); 2]), None);
    }

    #[test]
    fn terms_without_a_measured_need_share_the_rest() {
        let gas = share_budget(&[term(10_000, Some(16_000)), term(20_000, None)]);
        assert_eq!(gas, Some(vec![20_000, 136_000]));
        // Every term answers: there is nothing to share.
        assert_eq!(share_budget(&[term(10_000, Some(16_000))]), None);
        assert_eq!(
            share_budget(&[term(150_000, None), term(10_000, None)]),
            None
        );
    }
}
