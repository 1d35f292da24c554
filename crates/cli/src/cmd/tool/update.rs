//! `atr tool update`.

use atr_ids::sanitize;
use atr_verify::Candidate;

use crate::{
    args::{FetchArgs, SendArgs, ToolArg},
    cmd::tool::{rejection::RejectionReport, warnings},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{Confirmation, Sender, TransactionReport},
};

/// Update the manifest hash and URL of a tool
///
/// Fetches the manifest, applies all checks of `atr verify`, and registers its current hash and, with --manifest-url, its new URL.
/// Only the creator can update a tool. Nothing is sent if the registered values are current.
///
/// Exit codes: 0 up to date (with --dry-run: the plan can be executed), 1 rejected, reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to update
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// New manifest URL [default: the registered URL]
    #[arg(long, value_name = "URL", alias = "metadata")]
    manifest_url: Option<String>,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.update(context))?
}

impl Args {
    async fn update(&self, context: &Context) -> eyre::Result<Outcome> {
        let client = self.fetch.client(context)?;
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let from = sender.address().unwrap_or(config.creator);
        registry::ensure_creator(tool, &config, from)?;
        let url = self.manifest_url.as_deref().unwrap_or(&config.metadata_uri);
        let candidate = match Candidate::fetch_update(&client, url, config.creator).await {
            Ok(candidate) => candidate,
            Err(rejection) => {
                let report = RejectionReport::for_update(url.to_owned(), *rejection);
                context.output.print(&report)?;
                return Ok(report.outcome());
            }
        };
        let (uri, hash) = (candidate.uri.to_string(), candidate.manifest.hash());
        let mut report = TransactionReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("manifest", change(&sanitize(&config.metadata_uri), &uri)),
                (
                    "hash",
                    change(&format!("{:#x}", config.manifest_hash), &hash.to_string()),
                ),
            ],
            warnings: warnings::manifest_warnings(&candidate.manifest),
            next: Some(format!("atr verify {tool}")),
            ..TransactionReport::default()
        };
        if uri == config.metadata_uri && hash.to_b256() == config.manifest_hash {
            report.up_to_date = Some("up to date: nothing to send".to_owned());
            context.output.print(&report)?;
            return Ok(Outcome::Success);
        }
        let call = registry.update_metadata(tool.id(), &uri, hash.to_b256());
        report.planned.push(sender.plan(call, from).await?);
        sender
            .execute_and_print(report, &Confirmation::Question("Update the tool?"))
            .await
    }
}

fn change(before: &str, after: &str) -> String {
    if before == after {
        format!("{after} (unchanged)")
    } else {
        format!("{before}\n-> {after}")
    }
}
