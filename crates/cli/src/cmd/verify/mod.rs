//! `atr verify`.

mod remedy;
mod report;
mod verdict;

use std::num::NonZeroUsize;

use alloy_primitives::U256;
use atr_ids::ToolRef;
use atr_registry::{Registry, ToolState};
use atr_verify::{Freshness, Verifier};
use futures_util::StreamExt;

pub(crate) use verdict::{headline, is_registered, reason, render_checks, render_failure, status};

use self::report::{ToolView, VerifyReport};
use crate::{
    args::{BlockArgs, Bytes32, FetchArgs, ToolArg, positive},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::{Pipe, Progress, ToolDetails},
    process::{clock, outcome_of, runtime},
};

/// The JSON member with the verdicts.
const VERDICTS: &str = "verdicts";

/// With more tools than this in one argument, only those that do not pass are printed.
const MAX_DETAILED: usize = 100;

/// Verify tools
///
/// Runs the four checks of ERC-8257: the manifest is served at the registered URL, that URL is a well-known URL on the origin of
/// the endpoint, the hash of the manifest is the registered hash, and `creatorAddress` in the manifest is the account that registered the tool. A
/// failed check is printed with the observed and expected values, the likely cause and a fix. Manifest rules are reported
/// separately.
///
/// Prints one line per tool, then details and checks of each tool. With --all, tools that do not pass are printed as they are
/// found, and those that pass are counted at the end. With --json, verdicts are printed as they arrive.
///
/// Do not call a tool that is not verified.
///
/// Exit codes: 0 all tools verified, 1 at least one failed, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr verify eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7\n  \
    atr verify --chain base --registry opensea 7 8 9\n  \
    atr verify --all --failed --json | jq -r '.verdicts[].tool'")]
pub(crate) struct Args {
    /// Tools to verify
    #[arg(value_name = "TOOL", required_unless_present = "all")]
    tools: Vec<ToolArg>,

    /// Verify all tools of the registry
    #[arg(long, conflicts_with = "tools")]
    all: bool,

    /// Print only tools that do not pass; with --all this has an effect on --json only
    #[arg(long)]
    failed: bool,

    /// Previously approved manifest hash; warn if the registered hash differs
    #[arg(long, value_name = "HASH", conflicts_with = "all")]
    pin: Option<Bytes32>,

    /// Maximum number of concurrent fetches
    #[arg(long, value_name = "NUMBER", default_value = "16", value_parser = positive)]
    concurrency: NonZeroUsize,

    #[command(flatten)]
    block: BlockArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.verify(context))?
}

impl Args {
    async fn verify(&self, context: &Context) -> eyre::Result<Outcome> {
        if self.pin.is_some() && self.tools.len() > 1 {
            return Err(Error::PinWithSeveralTools.into());
        }
        let mut report = VerifyReport::new(self.all);
        let verified = self.verify_each(context, &mut report).await;
        let output = &context.output;
        if output.is_json() {
            // After an error too, if the document has begun.
            return match verified {
                Err(failure) if report.printed == 0 => Err(failure),
                verified => {
                    let failure = verified.as_ref().err();
                    output.print_last_members(VERDICTS, report.printed, &report, failure)?;
                    Ok(failure.map_or(report.outcome(), outcome_of))
                }
            };
        }
        match verified {
            Err(failure) if !report.has_tools() => Err(failure),
            Err(failure) => Ok(output.print_failed(&report, &failure)?),
            Ok(()) => {
                output.print(&report)?;
                Ok(report.outcome())
            }
        }
    }

    async fn verify_each(&self, context: &Context, report: &mut VerifyReport) -> eyre::Result<()> {
        if self.all {
            let registry = registry::connect(context).await?;
            let registry = self.block.apply(registry).await?;
            let tools = registry::all_tools(&registry).await?;
            self.verify_tools(context, registry, tools, report).await?;
        }
        // Tools can be in different registries; sequential, so that results are in the order of the arguments.
        for tool in &self.tools {
            let registry = registry::connect_for_tool(context, tool).await?;
            let registry = self.block.apply(registry).await?;
            let ids = registry::find_tools(&registry, tool).await?;
            let ids: Vec<_> = ids.iter().map(ToolRef::id).collect();
            let states = registry.tools(&ids).await?;
            let tools = ids.into_iter().zip(states).collect();
            self.verify_tools(context, registry, tools, report).await?;
        }
        Ok(())
    }

    /// Prints verdicts as they arrive, so that memory stays bounded. Verdicts on a few named tools are kept for the report.
    async fn verify_tools(
        &self,
        context: &Context,
        registry: Registry,
        tools: Vec<(U256, ToolState)>,
        report: &mut VerifyReport,
    ) -> eyre::Result<()> {
        // Any number of tools can have the same manifest URL.
        let is_brief = self.all || tools.len() > MAX_DETAILED;
        let reference = |id| ToolRef::try_new(registry.chain_id(), registry.address(), id);
        let tools = tools
            .into_iter()
            .map(|(id, state)| Ok((reference(id)?, state)))
            .collect::<Result<Vec<_>, atr_ids::Error>>()?;
        let progress = Progress::start(context, "verifying", tools.len());
        let client = self.fetch.client(context)?;
        let verifier = Verifier::try_new(registry.clone(), client, Freshness::default())?;
        let pin = self.pin.map(|pin| pin.0);
        let verdicts = verifier.verify_many(tools, pin, self.concurrency, clock::now())?;
        let mut verdicts = std::pin::pin!(verdicts);
        while let Some((_, verdict)) = verdicts.next().await {
            progress.step(&verdict.tool().to_string());
            report.add(&verdict);
            if self.failed && verdict.is_usable() {
                continue;
            }
            let details = match is_brief {
                true => None,
                false => Some(ToolDetails::fetch(&registry, &verdict).await),
            };
            let view = ToolView {
                verdict: &verdict,
                details: details.as_ref(),
            };
            let output = &context.output;
            let pipe = if output.is_json() {
                output.print_element(VERDICTS, report.printed, &view)?
            } else {
                match details {
                    Some(details) => {
                        report.keep(verdict, details);
                        Pipe::Open
                    }
                    None => output.print_preview(&view)?,
                }
            };
            report.printed += 1;
            if pipe == Pipe::Closed {
                break;
            }
        }
        Ok(())
    }
}
