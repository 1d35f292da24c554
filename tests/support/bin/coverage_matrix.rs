//! Prints which requirement is proved by which test of the last `make test`.
//! Exit codes: 0 no errors, 1 errors, 2 usage, 3 the reports are missing or stale.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use acceptance::{
    coverage::{Coverage, Report},
    repository::Repository,
};

const USAGE: &str = "\
Prints which requirement is proved by which test of the last `make test`.

Usage: coverage-matrix [--json | --errors]

  --json      print the table as JSON
  --errors    print only a summary and the errors
";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let format = match Vec::from_iter(arguments.iter().map(String::as_str)).as_slice() {
        [] => Coverage::table,
        ["--json"] => Coverage::json,
        ["--errors"] => Coverage::summary,
        ["--help" | "-h"] => return print(&mut io::stdout(), USAGE, 0),
        _ => return print(&mut io::stderr(), USAGE, 2),
    };
    let repository = Repository::here();
    let read = Report::read(&repository).and_then(|all| Coverage::read(&repository, Some(&all)));
    match read {
        Ok(coverage) => {
            let code = u8::from(!coverage.errors.is_empty());
            print(&mut io::stdout(), &format(&coverage), code)
        }
        Err(error) => print(
            &mut io::stderr(),
            &format!("coverage-matrix: {error:#}\n"),
            3,
        ),
    }
}

/// Prints and returns the exit code. A closed pipe is not an error.
fn print(out: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    let _ = out.write_all(text.as_bytes());
    ExitCode::from(code)
}
