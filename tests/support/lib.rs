//! Code shared by the suites.

pub mod anvil;
pub mod coverage;
pub mod damage;
pub mod form;
pub mod pipeline;
pub mod property;
pub mod registry;
pub mod repository;
pub mod storage;
pub mod surroundings;
pub mod workspace;

use std::io::{self, Write};

/// Says how much a test looked at, past libtest, which hides what a test prints by `println!`. nextest shows it for the tests
/// that `.config/nextest.toml` names. A reader who is gone is no failure.
pub fn report(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
