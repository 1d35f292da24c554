//! `atr-artifacts`: bring `crates/bindings/artifacts` up to date, or say what is not.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use atr_artifacts::{ArtifactFolder, CompilerSettings, Difference, Error, compile, compile_mocks};
use clap::Parser;

/// Compile the contracts and bring the committed artifacts up to date.
///
/// Settings come from foundry.toml. Exit codes: 0 up to date, 1 out of date (with --check), 2 misuse,
/// 3 could not find out.
#[derive(Debug, Parser)]
#[command(name = "atr-artifacts")]
struct Args {
    /// Write nothing; list what is out of date and fail if anything is.
    #[arg(long)]
    check: bool,

    /// Repository to work in [default: the nearest folder upwards that holds a foundry.toml].
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok((code, report)) => {
            // Nobody listening is no failure of the work done.
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
    let folders = [
        (ArtifactFolder::of_repository(&root), compile(&settings)?),
        (ArtifactFolder::of_mocks(&root), compile_mocks(&settings)?),
    ];
    let compiled = folders.iter().map(|(_, compilation)| compilation);
    let count: usize = compiled.map(|one| one.artifacts.len()).sum();
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
    let here = std::env::current_dir().map_err(|source| Error::Read {
        path: ".".into(),
        source,
    })?;
    let root = here
        .ancestors()
        .find(|folder| folder.join("foundry.toml").is_file());
    root.map(Path::to_owned).ok_or(Error::NoRoot)
}

fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!("\n  because: {}", inner.to_string().trim_end()));
        cause = inner.source();
    }
    text
}
