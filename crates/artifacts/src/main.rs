//! `atr-artifacts`: updates or checks the committed artifacts.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use atr_artifacts::{ArtifactFolder, CompilerSettings, Difference, Error, compile, compile_mocks};
use clap::Parser;

/// Compile the contracts and update the committed artifacts.
///
/// Settings come from foundry.toml. Exit codes: 0 up to date, 1 out of date (with --check), 2 usage error, 3 compilation or file
/// error.
#[derive(Debug, Parser)]
#[command(name = "atr-artifacts")]
struct Args {
    /// Write nothing; list outdated files and fail if there are any.
    #[arg(long)]
    check: bool,

    /// Root of the repository [default: the nearest parent folder with a foundry.toml].
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok((code, report)) => {
            // A closed pipe is not an error.
            let _ = io::stdout().write_all(report.as_bytes());
            code
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {}", with_causes(&error));
            ExitCode::from(3)
        }
    }
}

fn run(args: &Args) -> Result<(ExitCode, String), Error> {
    let root = match &args.root {
        Some(root) => root.clone(),
        None => find_root()?,
    };
    let settings = CompilerSettings::read(&root)?;
    let mocks = compile_mocks(&settings)?;
    let folders = [
        (ArtifactFolder::contracts(&root), compile(&settings)?),
        (ArtifactFolder::development(&root), mocks.for_development()),
        (ArtifactFolder::mocks(&root), mocks),
    ];
    let compiled = folders.iter().map(|(_, compilation)| compilation);
    let count: usize = compiled
        .map(|compilation| compilation.artifacts.len())
        .sum();
    let mut differences = Vec::new();
    for (folder, compilation) in &folders {
        differences.extend(if args.check {
            folder.compare(compilation)?
        } else {
            folder.update(compilation)?
        });
    }
    let listed = list(&differences);
    Ok(if args.check && !differences.is_empty() {
        let report = format!("{listed}artifacts are out of date: run make artifacts\n");
        (ExitCode::FAILURE, report)
    } else {
        let report = format!("{listed}{count} artifacts up to date\n");
        (ExitCode::SUCCESS, report)
    })
}

fn list(differences: &[Difference]) -> String {
    differences
        .iter()
        .map(|difference| format!("{difference}\n"))
        .collect()
}

fn find_root() -> Result<PathBuf, Error> {
    let working_folder = std::env::current_dir().map_err(|source| Error::Read {
        path: ".".into(),
        source,
    })?;
    let root = working_folder
        .ancestors()
        .find(|folder| folder.join("foundry.toml").is_file());
    root.map(Path::to_owned).ok_or(Error::NoRoot)
}

fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!("\n  caused by: {}", inner.to_string().trim_end()));
        cause = inner.source();
    }
    text
}
