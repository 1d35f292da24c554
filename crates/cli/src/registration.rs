//! What comes before a write to a registry: the gate that was asked for, what may be regretted, why it is refused.

mod gate;
mod refusal_report;
mod regrets;

pub(crate) use gate::{Gate, GateArgs, known_predicate};
pub(crate) use refusal_report::RefusalReport;
pub(crate) use regrets::{of_gate, of_manifest, of_place};
