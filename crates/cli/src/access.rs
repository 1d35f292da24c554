//! Who may use a tool, as `atr access` answers it.

mod check_report;
mod gate_view;
mod requirement_lines;
mod requirements_report;

pub(crate) use check_report::CheckReport;
pub(crate) use gate_view::GateView;
pub(crate) use requirement_lines::requirement_lines;
pub(crate) use requirements_report::RequirementsReport;
