//! `atr verify`.

mod report;
mod verdict;

use std::num::NonZeroUsize;

use alloy_primitives::U256;
use atr_ids::ToolRef;
use atr_registry::{Registry, ToolState};
use atr_verify::{Freshness, Verdict, Verifier};
use futures_util::StreamExt;

pub(crate) use verdict::{headline, why};

use crate::{
    args::{GuardArgs, ToolName, Word},
    cmd::verify::report::VerifyReport,
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::Progress,
    process::{clock, runtime},
};

/// Find out whether tools are what they claim to be.
///
/// Makes the four checks of ERC-8257: the manifest is served at the registered place, that place is the well-known one on the
/// endpoint's origin, its canonical form has the registered hash, and it names the account that registered it. For each check
/// that fails: what there is, what there should be, the likely cause, and what puts it right. The manifest's own rules are
/// reported apart from the four checks.
///
/// Exit codes: 0 all hold, 1 one does not, 2 misuse, 3 could not find out. An unverified tool must not be called.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr verify eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7\n  \
    atr verify --chain base --registry opensea 7 8 9\n  \
    atr verify --all --json | jq '.verdicts[] | select(.usable | not) | .tool'")]
pub(crate) struct Args {
    /// Tools to verify
    #[arg(value_name = "TOOL", required_unless_present = "all")]
    tools: Vec<ToolName>,

    /// Verify every tool of the registry
    #[arg(long, conflicts_with = "tools")]
    all: bool,

    /// Hash that was approved before: say so if the registered one is another
    #[arg(long, value_name = "HASH", conflicts_with = "all")]
    pin: Option<Word>,

    /// How many manifests to fetch at a time
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    at_once: NonZeroUsize,

    #[command(flatten)]
    guard: GuardArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let report = runtime::block_on(args.verify(context))??;
    context.output.present(&report)?;
    Ok(report.outcome())
}

impl Args {
    async fn verify(&self, context: &Context) -> eyre::Result<VerifyReport> {
        // One hash cannot be that of two manifests.
        if self.pin.is_some() && self.tools.len() > 1 {
            return Err(Error::OnePin.into());
        }
        if self.all {
            let registry = registry::connect(context).await?;
            let all = registry::all(&registry).await?;
            return Ok(VerifyReport::of_all(
                self.verdicts(context, registry, all).await?,
            ));
        }
        let mut verdicts = Vec::new();
        // Tools may be in several registries; one after the other keeps the order they were named in.
        for name in &self.tools {
            let registry = registry::connect_for(context, name).await?;
            let ids = registry::find(&registry, name).await?;
            let ids: Vec<_> = ids.iter().map(ToolRef::id).collect();
            let states = registry.tools(&ids).await?;
            let tools = ids.into_iter().zip(states).collect();
            verdicts.extend(self.verdicts(context, registry, tools).await?);
        }
        Ok(VerifyReport::of(verdicts))
    }

    async fn verdicts(
        &self,
        context: &Context,
        registry: Registry,
        tools: Vec<(U256, ToolState)>,
    ) -> eyre::Result<Vec<Verdict>> {
        let of_id = |id| ToolRef::try_new(registry.chain_id(), registry.address(), id);
        let named = tools.into_iter().map(|(id, state)| Ok((of_id(id)?, state)));
        let named = named.collect::<Result<Vec<_>, atr_ids::Error>>()?;
        let progress = Progress::start(context, "verifying", named.len());
        let door = self.guard.door(context)?;
        let verifier = Verifier::try_new(registry.clone(), door, Freshness::default())?;
        let pin = self.pin.map(|pin| pin.0);
        let verdicts = verifier.verify_many(named, pin, self.at_once, clock::now())?;
        let mut verdicts = std::pin::pin!(verdicts);
        let mut reached = Vec::new();
        while let Some((place, verdict)) = verdicts.next().await {
            progress.step(&verdict.tool().to_string());
            reached.push((place, verdict));
        }
        reached.sort_by_key(|(place, _)| *place);
        Ok(reached.into_iter().map(|(_, verdict)| verdict).collect())
    }
}
