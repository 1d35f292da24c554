//! `atr tool update`.

use atr_ids::shown;
use atr_verify::Candidate;

use crate::{
    args::{GuardArgs, ToolName},
    cmd::tool::{rejection::RefusalReport, warnings},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{SendArgs, WriteReport},
};

/// Commit to what is served now.
///
/// Fetches the manifest, holds it to everything consumers will hold it to, and registers its hash, and its place if that is
/// another. Only the tool's creator can. Nothing is sent if the registry holds both already.
///
/// Exit codes: 0 up to date (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to update
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// New place of the manifest [default: the registered one]
    #[arg(long, value_name = "METADATA_URL")]
    metadata: Option<String>,

    #[command(flatten)]
    guard: GuardArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.update(context))?
}

impl Args {
    async fn update(&self, context: &Context) -> eyre::Result<Outcome> {
        let door = self.guard.door(context)?;
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let sending = self.send.start(context, &registry).await?;
        let from = sending.sender().unwrap_or(config.creator);
        let place = self.metadata.as_deref().unwrap_or(&config.metadata_uri);
        let candidate = match Candidate::fetch(&door, place, Some(from)).await {
            Ok(candidate) => candidate,
            Err(refusal) => {
                let report = RefusalReport::of_update(place.to_owned(), *refusal);
                context.output.present(&report)?;
                return Ok(report.outcome());
            }
        };
        let (uri, hash) = (candidate.uri.to_string(), candidate.manifest.hash());
        let mut report = WriteReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("manifest", change(&shown(&config.metadata_uri), &uri)),
                (
                    "hash",
                    change(&format!("{:#x}", config.manifest_hash), &hash.to_string()),
                ),
            ],
            warnings: warnings::of_manifest(&candidate.manifest),
            ..WriteReport::default()
        };
        if uri == config.metadata_uri && hash.word() == config.manifest_hash {
            report.nothing = Some("nothing to do: the registry holds what is served".to_owned());
            context.output.present(&report)?;
            return Ok(Outcome::Yes);
        }
        let call = registry.update_metadata(tool.id(), &uri, hash.word());
        report.planned.push(sending.plan(call, from).await?);
        sending.finish(report, &["Update it?"]).await
    }
}

fn change(before: &str, after: &str) -> String {
    if before == after {
        format!("{after} (unchanged)")
    } else {
        format!("{before}\n            becomes {after}")
    }
}
