//! `atr man`.

mod page;

use std::{fs, path::PathBuf};

use crate::{
    args,
    cmd::man::page::ManPage,
    context::Context,
    error::Error,
    outcome::Outcome,
    output::{Document, Progress, WrittenFiles},
};

/// Print or write man pages
///
/// `atr man` prints the page of atr and `atr man config show` the page of a command; view it with `| man -l -`. `--dir` writes all
/// pages to a directory. Does not read atr.toml.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Command [default: atr]
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,

    /// Directory to write all pages to; created if missing
    #[arg(long, value_name = "DIRECTORY")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let Some(directory) = &args.dir else {
        let page = ManPage::for_command(args::command(), &args.command)?;
        context.output.print(&Document {
            file: page.file(),
            text: page.text(),
        })?;
        return Ok(Outcome::Success);
    };

    fs::create_dir_all(directory).map_err(|source| Error::Write {
        path: directory.clone(),
        source,
    })?;
    let pages = ManPage::all(args::command());
    let progress = Progress::start(context, "man pages", pages.len());
    let mut files = Vec::new();
    for page in pages {
        progress.step(&page.file());
        let path = directory.join(page.file());
        fs::write(&path, page.text()).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
        tracing::info!(path = %path.display(), "man page written");
        files.push(path);
    }
    drop(progress);
    context.output.print(&WrittenFiles { files })?;
    Ok(Outcome::Success)
}
