//! Code shared by the suites.

pub mod anvil;
pub mod environment;
pub mod gas;
pub mod mutation;
pub mod pipeline;
pub mod property;
pub mod registry;
pub mod repository;
pub mod signer;
pub mod storage;
pub mod variation;

use std::io::{self, Write};

/// Prints a line past libtest, which captures `println!`. nextest shows it for the tests that `.config/nextest.toml` selects.
/// Ignores a closed pipe.
pub fn report(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
