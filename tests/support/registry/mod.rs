//! The registry beside its model: steps that can be drawn at random, shrunk and printed, and the machine that takes them on
//! both at once.

mod cast;
mod generate;
mod machine;
mod reach;
mod step;
mod told;
mod uri;

pub use cast::Cast;
pub use generate::{access_script, any_script, scenario, step, steps};
pub use machine::{Machine, Mismatch, Stage};
pub use step::{Act, Caller, NewPredicate, NewUri, Question, Scenario, Step, ToolPick};
pub use uri::{Uri, any_uri, valid_uri};
