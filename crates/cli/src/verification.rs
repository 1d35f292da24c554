//! Verdicts as `atr verify` and `atr tool inspect` print them. The checks are those of the crate `verify`.

mod inspect_report;
mod report;
mod verdict_text;

pub(crate) use inspect_report::InspectReport;
pub(crate) use report::VerifyReport;
pub(crate) use verdict_text::why;
