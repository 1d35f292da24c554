//! `atr index rebuild`.

use atr_ids::ToolRef;
use serde::Serialize;

use super::DatabaseArgs;
use crate::{
    context::Context,
    outcome::Outcome,
    output::{Palette, Report},
    process::clock,
};

/// Compute the tools from the stored events again
///
/// The index stores every event and derives the tools from them. This command computes the tools anew, compares them with the stored ones,
/// and corrects differences. With --check, nothing is changed.
///
/// Exit codes: 0 no differences, or all corrected, 1 differences found (--check), 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Compare only
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RebuildReport {
    events: u64,
    tools: u64,
    differing: u64,
    corrected: bool,
    /// The first ones.
    differences: Vec<DifferenceReport>,
}

#[derive(Debug, Serialize)]
struct DifferenceReport {
    tool: String,
    detail: String,
}

pub(super) async fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    args.database.ensure_exists(context)?;
    let store = args.database.open(context).await?;
    let rebuild = store.rebuild(!args.check, clock::now()).await?;
    let differences = rebuild.differences.into_iter().map(|difference| {
        let key = difference.key;
        let tool = ToolRef::try_new(key.registry.chain_id, key.registry.address, key.id);
        DifferenceReport {
            tool: tool.map_or_else(|_| key.id.to_string(), |tool| tool.to_string()),
            detail: difference.detail,
        }
    });
    let report = RebuildReport {
        events: rebuild.events,
        tools: rebuild.tools,
        differing: rebuild.differing,
        corrected: !args.check,
        differences: differences.collect(),
    };
    context.output.print(&report)?;
    Ok(if args.check && rebuild.differing > 0 {
        Outcome::Failure
    } else {
        Outcome::Success
    })
}

impl Report for RebuildReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = format!("{} tools from {} events: ", self.tools, self.events);
        text.push_str(&match (self.differing, self.corrected) {
            (0, _) => "no differences\n".to_owned(),
            (count, true) => format!("{count} corrected\n"),
            (count, false) => palette.warning(&format!("{count} differ\n")),
        });
        for DifferenceReport { tool, detail } in &self.differences {
            text.push_str(&format!("  {tool}: {}\n", atr_ids::sanitize(detail)));
        }
        text
    }
}
