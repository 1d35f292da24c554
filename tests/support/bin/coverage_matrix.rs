//! Prints which requirement is proved by which test of the last `make test`.
//! Exit codes: 0 no errors, 1 errors, 2 usage, 3 the reports are missing or stale.

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use acceptance::{
    coverage::{self, Coverage, Reports, table},
    repository::Repository,
    workspace::Workspace,
};
use eyre::Result;

const USAGE: &str = "\
Prints which requirement is proved by which test of the last `make test`.

Usage: coverage-matrix [--json | --errors]

  --json      print the table as JSON
  --errors    print only a summary and the errors";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let format: fn(&Coverage) -> Result<String> = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => |coverage| Ok(table::text(coverage)),
        ["--json"] => |coverage| Ok(table::json(coverage)?),
        ["--errors"] => |coverage| Ok(table::summary(coverage)),
        ["--help" | "-h"] => return print(&mut io::stdout(), USAGE, 0),
        _ => return print(&mut io::stderr(), USAGE, 2),
    };
    match read().and_then(|coverage| Ok((format(&coverage)?, coverage.errors.is_empty()))) {
        Ok((text, ok)) => print(&mut io::stdout(), text.trim_end(), u8::from(!ok)),
        Err(error) => print(&mut io::stderr(), &format!("coverage-matrix: {error:#}"), 3),
    }
}

fn read() -> Result<Coverage> {
    let repository = Repository::here();
    let reports = Reports::read(&repository)?;
    coverage::of(&repository, &Workspace::read(&repository)?, Some(&reports))
}

/// Prints and returns the exit code. A closed pipe is not an error.
fn print(out: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    match writeln!(out, "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(3),
        _ => ExitCode::from(code),
    }
}
