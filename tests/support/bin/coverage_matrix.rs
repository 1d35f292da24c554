//! Prints which requirement is proved by which test. Exit codes: 0 all accounted for, 1 not, 2 misuse, 3 could not
//! find out.

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use acceptance::{
    coverage::{self, Coverage, table},
    house::workspace::Workspace,
    repository::Repository,
};
use eyre::Result;

const USAGE: &str = "usage: coverage-matrix [--json]";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let is_json = match arguments.as_slice() {
        [] => false,
        ["--json"] => true,
        ["--help" | "-h"] => return told(&mut io::stdout(), USAGE, 0),
        _ => return told(&mut io::stderr(), USAGE, 2),
    };
    match judge().and_then(|(coverage, basis)| {
        let text = if is_json {
            table::json(&coverage)?
        } else {
            table::human(&coverage)
        };
        Ok((text, basis, coverage.faults.is_empty()))
    }) {
        Ok((text, basis, is_clean)) => {
            told(&mut io::stderr(), basis, 0);
            told(&mut io::stdout(), text.trim_end(), u8::from(!is_clean))
        }
        Err(error) => told(&mut io::stderr(), &format!("{error:#}"), 3),
    }
}

fn judge() -> Result<(Coverage, &'static str)> {
    let repository = Repository::here();
    let workspace = Workspace::parse(&repository.cargo_metadata()?)?;
    let evidence = repository.evidence()?;
    let coverage = coverage::of(&repository, &workspace, &evidence)?;
    Ok((coverage, evidence.basis()))
}

/// Prints and gives the exit code. A reader who stops listening is no failure.
fn told(out: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    match writeln!(out, "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(3),
        _ => ExitCode::from(code),
    }
}
