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

/// Print a man page, or write all of them.
///
/// `atr man` prints the page of atr itself, `atr man config show` that of a command: read it with `man -l -`.
/// `--dir` writes the pages of atr and all its commands into a folder. The configuration is not read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Command whose page to print; atr itself if left out
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,

    /// Folder to write all pages into; made if it does not exist
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let Some(folder) = &args.dir else {
        let page = ManPage::of(args::command(), &args.command)?;
        context.output.present(&Document {
            file: page.file(),
            text: page.text(),
        })?;
        return Ok(Outcome::Yes);
    };

    fs::create_dir_all(folder).map_err(|source| Error::Write {
        path: folder.clone(),
        source,
    })?;
    let pages = ManPage::all(args::command());
    let progress = Progress::start(context, "man pages", pages.len());
    let mut files = Vec::new();
    for page in pages {
        progress.step(&page.file());
        let path = folder.join(page.file());
        fs::write(&path, page.text()).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
        tracing::info!(path = %path.display(), "man page written");
        files.push(path);
    }
    drop(progress);
    context.output.present(&WrittenFiles { files })?;
    Ok(Outcome::Yes)
}
