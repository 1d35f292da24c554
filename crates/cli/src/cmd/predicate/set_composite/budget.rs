//! Choice of the gas of each term, from what the predicates need on the chain.

use std::collections::BTreeMap;

use alloy_primitives::{Address, U256};
use atr_registry::{
    Registry,
    predicates::{
        PREDICATE_GAS_LIMIT,
        composite::{Configuration, MAX_BUDGET, TermGas, default_term_gas, share_budget},
    },
};

use crate::{
    error::Error,
    output::{grouped, predicate_name, predicate_title},
};

/// The gas of the terms, also in words, and warnings about terms that run out of gas.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) gas: Vec<u64>,
    pub(crate) lines: Vec<String>,
    /// Whether the gas is not the default.
    pub(crate) is_notable: bool,
    pub(crate) warnings: Vec<String>,
}

impl Budget {
    /// Keeps the default stipends of the composite unless a term needs more; then sets unequal ones.
    pub(crate) async fn choose(
        registry: &Registry,
        tool_id: U256,
        composite: &mut Configuration,
    ) -> eyre::Result<Self> {
        let mut probe = Probe::new(registry, tool_id);
        let terms: Vec<_> = composite.terms().map(|term| term.predicate).collect();
        // With the whole budget, which no term of a larger composite has.
        let needs = probe
            .measure(&terms, &vec![MAX_BUDGET; terms.len()])
            .await?;
        let mut note = "default";
        let mut gas = composite.term_gas.clone();
        if !gas.is_empty() {
            note = "as given";
        } else if let Some(default) = default_term_gas(&needs) {
            let measured = probe.measure(&terms, &default).await?;
            gas = default;
            if let Some(shares) = unequal_shares(&mut probe, &terms, &needs, &measured).await? {
                note = "unequal: with the default a term runs out of gas";
                gas.clone_from(&shares);
                composite.term_gas = shares;
            }
        } else {
            let sum: u64 = needs.iter().map(|need| need.min()).sum();
            return Err(Error::TermsNeedTooMuchGas {
                needed: grouped(sum),
                max: grouped(MAX_BUDGET),
                terms: terms
                    .iter()
                    .zip(&needs)
                    .map(|(term, need)| {
                        let title = predicate_title(registry.address(), *term);
                        format!("{title} needs {} gas", grouped(need.min()))
                    })
                    .collect(),
            }
            .into());
        }
        let warnings = probe.warnings(&terms, &gas, &needs).await?;
        let lines = terms
            .iter()
            .zip(&gas)
            .zip(&needs)
            .map(|((term, gas), need)| {
                let name = predicate_name(registry.address(), *term);
                let needed = match need.reported {
                    Some(needed) => format!(", needs {} gas", grouped(needed)),
                    None => String::new(),
                };
                format!("{name}: {} gas{needed}", grouped(*gas))
            });
        let lines = std::iter::once(note.to_owned()).chain(lines);
        Ok(Self {
            is_notable: note != "default",
            lines: lines.collect(),
            gas,
            warnings,
        })
    }
}

/// Stipends that suffice for the terms that run out of gas with the default; `None` if there are none.
async fn unequal_shares(
    probe: &mut Probe<'_>,
    terms: &[Address],
    needs: &[TermGas],
    measured: &[TermGas],
) -> eyre::Result<Option<Vec<u64>>> {
    let is_starved =
        |index: usize| needs[index].measured.is_some() && measured[index].measured.is_none();
    if !(0..terms.len()).any(is_starved) {
        return Ok(None);
    }
    let Some(shares) = share_budget(measured) else {
        return Ok(None);
    };
    let results = probe.measure(terms, &shares).await?;
    let all_complete = (0..terms.len())
        .all(|index| needs[index].measured.is_none() || results[index].measured.is_some());
    Ok(all_complete.then_some(shares))
}

/// Measures terms, each predicate and stipend once.
struct Probe<'a> {
    registry: &'a Registry,
    tool_id: U256,
    measured: BTreeMap<(Address, u64), TermGas>,
}

impl<'a> Probe<'a> {
    const fn new(registry: &'a Registry, tool_id: U256) -> Self {
        Self {
            registry,
            tool_id,
            measured: BTreeMap::new(),
        }
    }

    async fn measure(&mut self, terms: &[Address], gas: &[u64]) -> eyre::Result<Vec<TermGas>> {
        let mut all = Vec::with_capacity(terms.len());
        for key @ (predicate, gas) in terms.iter().copied().zip(gas.iter().copied()) {
            let measured = match self.measured.get(&key) {
                Some(measured) => *measured,
                None => {
                    self.registry
                        .measure_term(predicate, self.tool_id, gas)
                        .await?
                }
            };
            self.measured.insert(key, measured);
            all.push(measured);
        }
        Ok(all)
    }

    /// Whether the gas that the registry gives a predicate suffices.
    async fn completes_alone(&mut self, predicate: Address) -> eyre::Result<bool> {
        let measured = self.measure(&[predicate], &[PREDICATE_GAS_LIMIT]).await?;
        Ok(measured[0].measured.is_some())
    }

    async fn warnings(
        &mut self,
        terms: &[Address],
        gas: &[u64],
        needs: &[TermGas],
    ) -> eyre::Result<Vec<String>> {
        let results = self.measure(terms, gas).await?;
        let mut warnings: Vec<String> = Vec::new();
        for (index, term) in terms.iter().enumerate() {
            if results[index].measured.is_some() {
                continue;
            }
            let title = predicate_title(self.registry.address(), *term);
            let warning = if self.registry.is_not_configured(*term, self.tool_id).await? {
                format!(
                    "term {title} is not configured for this tool: its result is unknown until it is"
                )
            } else if needs[index].measured.is_some() {
                format!(
                    "term {title} does not complete within its {} gas: configure it with --stipend auto, or pass --term-gas",
                    grouped(gas[index])
                )
            } else if self.completes_alone(*term).await? {
                format!(
                    "term {title} does not complete within the gas of a term: configure it with --stipend auto"
                )
            } else {
                format!("term {title} fails: its result will be unknown")
            };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        Ok(warnings)
    }
}
