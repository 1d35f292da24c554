//! Tools and their events as `atr tool list` and `atr tool watch` print them.

mod event_line;
mod list_report;

pub(crate) use event_line::EventLine;
pub(crate) use list_report::{ListReport, ListedTool};
