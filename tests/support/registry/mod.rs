//! State-machine tests of the registry: random actions, executed on the contract and on its model.

mod actors;
mod display;
mod generator;
mod machine;
mod reach;
mod step;
mod uri;

pub use actors::Actors;
pub use generator::{access_script, any_script, scenario, step, steps};
pub use machine::{Fixture, Machine, Mismatch};
pub use step::{Action, Caller, NewPredicate, NewUri, Scenario, ScriptedCall, Step, ToolPick};
pub use uri::{Uri, any_uri, valid_uri};
