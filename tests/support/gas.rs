//! The use of gas ceilings.

use std::collections::BTreeMap;

use atr_harness::model::gas::Ceiling;

/// A ceiling is too generous if no call uses this part of it.
const MIN_USE: u64 = 3;

/// The highest share of its ceiling that a call of each kind has used.
#[derive(Clone, Debug, Default)]
pub struct GasUse(BTreeMap<&'static str, (u64, u64)>);

impl GasUse {
    /// Records a call that did what the model says.
    pub fn record(&mut self, ceiling: Ceiling, used: u64) {
        let highest = self.0.entry(ceiling.call).or_insert((0, 1));
        if used * highest.1 > highest.0 * ceiling.gas {
            *highest = (used, ceiling.gas);
        }
    }

    /// Combines two recordings.
    pub fn merge(&mut self, other: Self) {
        for (call, (used, gas)) in other.0 {
            self.record(Ceiling { call, gas }, used);
        }
    }

    /// The call kinds whose ceiling is too generous, or too low.
    #[must_use]
    pub fn misjudged(&self) -> Vec<String> {
        let is_wrong = |(used, gas): (u64, u64)| used * MIN_USE < gas || used > gas;
        let wrong = self.0.iter().filter(|(_, use_)| is_wrong(**use_));
        wrong
            .map(|(call, (used, gas))| format!("{call}: used {used} of {gas}"))
            .collect()
    }
}
