//! `atr`: see the library of the same package, which holds everything testable.

use std::process::ExitCode;

fn main() -> ExitCode {
    atr_cli::main()
}
