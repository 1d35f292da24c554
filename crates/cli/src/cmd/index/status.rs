//! `atr index status`.

use super::{
    DatabaseArgs,
    report::{StatusReport, outcome},
};
use crate::{context::Context, outcome::Outcome, process::clock};

/// Show how far registries are indexed
///
/// Prints the last indexed block of each registry, its pinned code hash, and the number of tools by result of verification.
///
/// Exit codes: 0 ok, 1 a registry is halted, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(super) async fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    args.database.ensure_exists(context)?;
    let store = args.database.open(context).await?;
    let now = clock::now();
    let status = store.status(now).await?;
    context.output.print(&StatusReport::new(&status, now))?;
    Ok(outcome(&status))
}
