//! The `atr` binary. All code is in the library of this package, where tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    atr_cli::main()
}
