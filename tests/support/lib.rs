//! What the suites share: reading the repository, weighing its tests, and the laws of the house.

pub mod anvil;
pub mod coverage;
pub mod damage;
pub mod form;
pub mod house;
pub mod pipeline;
pub mod property;
pub mod registry;
pub mod repository;
pub mod source;
pub mod storage;
pub mod surroundings;

use std::io::{self, Write};

/// Says how much a test looked at, past libtest, which hides what a test prints by `println!`. nextest shows it for the tests
/// that `.config/nextest.toml` names. A reader who is gone is no failure.
pub fn report(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
