//! `atr tool list`.

mod report;

use std::{collections::BTreeSet, num::NonZeroUsize};

use alloy_primitives::{Address, U256};
use atr_ids::ToolRef;
use atr_registry::{Introspection, MAX_TOOLS, Registry, ToolState};
use atr_rpc::Node;
use atr_verify::{Freshness, Verifier};
use futures_util::{StreamExt, stream};

use crate::{
    args::{AccountArg, BlockArgs, FetchArgs, positive},
    cmd::tool::list::report::{ListReport, ListedTool},
    context::Context,
    network::{ens, registry},
    outcome::Outcome,
    output::{Progress, Tokens, tokens_of},
    process::{clock, runtime},
};

/// Maximum number of ids read per run with `--creator`, because `toolCount` of an untrusted registry is unbounded.
const MAX_IDS: u64 = 10_000;

/// Manifests fetched at the same time.
const CONCURRENT_FETCHES: NonZeroUsize = NonZeroUsize::new(16).expect("not zero");

/// Requirements read at the same time.
const CONCURRENT_CALLS: usize = 8;

/// List the tools of a registry
///
/// Lists tools by id, including deregistered ones, with the name, price and endpoint of their manifests, and what their predicates
/// require. Each tool is verified; manifest data is untrusted unless the status is `verified`. --creator omits deregistered tools and
/// reads at most 10,000 ids per run.
///
/// Exit codes: 0 listed, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List tools of this creator only: an address, or an ENS name on mainnet
    #[arg(long, value_name = "ACCOUNT")]
    creator: Option<AccountArg>,

    /// First id
    #[arg(long, value_name = "ID", default_value_t = 1, alias = "from")]
    from_id: u64,

    /// Maximum number of tools
    #[arg(long, value_name = "NUMBER", default_value = "50", value_parser = positive)]
    limit: NonZeroUsize,

    /// Show the registrations only, without fetching manifests
    #[arg(long)]
    no_fetch: bool,

    #[command(flatten)]
    block: BlockArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.list(context))?
}

impl Args {
    async fn list(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect(context).await?;
        let registry = self.block.apply(registry).await?;
        let creator = match &self.creator {
            Some(creator) => {
                let node = Node::from_provider(registry.provider().clone());
                Some(ens::resolve(creator, context, &node, registry.chain_id()).await?)
            }
            None => None,
        };
        let is_listed =
            |state: &ToolState| creator.is_none_or(|creator| is_created_by(state, creator));
        let mut pages = registry.pages_from(self.from_id).await?;
        let mut tools = Vec::new();
        let mut remaining = self.max_ids();
        while remaining > 0 && tools.len() < self.limit.get() {
            let page = pages.next(remaining).await?;
            if page.is_empty() {
                break;
            }
            remaining -= page.len() as u64;
            tools.extend(page.into_iter().filter(|(_, state)| is_listed(state)));
        }
        // The last page can exceed the limit.
        let first_omitted = tools.get(self.limit.get()).map(|(id, _)| id.to_string());
        let next = first_omitted.or_else(|| pages.next_id().map(|id| id.to_string()));
        tools.truncate(self.limit.get());
        let mut tools = tools
            .into_iter()
            .map(|(id, state)| {
                let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id)?;
                Ok(ListedTool::new(tool, state))
            })
            .collect::<eyre::Result<Vec<_>>>()?;
        if !self.no_fetch {
            self.verify(context, &registry, &mut tools).await?;
        }
        read_requirements(&registry, &mut tools).await;
        let addresses: BTreeSet<_> = tools
            .iter()
            .flat_map(|tool| {
                let manifest = tool.manifest.as_ref();
                tokens_of(manifest, &tool.requirements, registry.chain_id())
            })
            .collect();
        context.output.print(&ListReport {
            chain_id: registry.chain_id(),
            registry: registry.address(),
            count: pages.count(),
            tokens: Tokens::fetch(&registry, addresses).await,
            tools,
            next,
            is_fetched: !self.no_fetch,
        })?;
        Ok(Outcome::Success)
    }

    /// Fetches the manifests of registered tools. Keeps only what is listed.
    async fn verify(
        &self,
        context: &Context,
        registry: &Registry,
        tools: &mut [ListedTool],
    ) -> eyre::Result<()> {
        let states: Vec<_> = tools
            .iter()
            .map(|tool| (tool.reference, tool.state.clone()))
            .collect();
        let progress = Progress::start(context, "fetching manifests", states.len());
        let client = self.fetch.client(context)?;
        let verifier = Verifier::try_new(registry.clone(), client, Freshness::default())?;
        let verdicts = verifier.verify_many(states, None, CONCURRENT_FETCHES, clock::now())?;
        let mut verdicts = std::pin::pin!(verdicts);
        while let Some((index, verdict)) = verdicts.next().await {
            progress.step(&verdict.tool().to_string());
            tools[index].add_verdict(&verdict);
        }
        Ok(())
    }

    fn max_ids(&self) -> u64 {
        match self.creator {
            Some(_) => MAX_IDS,
            None => (self.limit.get() as u64).min(MAX_TOOLS),
        }
    }
}

fn is_created_by(state: &ToolState, creator: Address) -> bool {
    matches!(state, ToolState::Live(config) if config.creator == creator)
}

/// Reads the requirements of gated tools. Those that cannot be read stay unknown.
async fn read_requirements(registry: &Registry, tools: &mut [ListedTool]) {
    let gated: Vec<(usize, Address, U256)> = tools
        .iter()
        .enumerate()
        .filter_map(|(index, tool)| Some((index, tool.predicate()?, tool.reference.id())))
        .collect();
    let reads = gated.into_iter().map(|(index, predicate, id)| async move {
        let read = registry.requirements(predicate, id).await;
        let unreadable = |error: atr_registry::Error| Introspection::Failed {
            reason: error.to_string(),
        };
        (index, read.unwrap_or_else(unreadable))
    });
    let mut reads = stream::iter(reads).buffer_unordered(CONCURRENT_CALLS);
    while let Some((index, requirements)) = reads.next().await {
        tools[index].requirements = Some(requirements);
    }
}
