//! `atr tool list`.

mod report;

use std::num::NonZeroUsize;

use alloy_primitives::Address;
use atr_ids::ToolRef;
use atr_registry::{MAX_TOOLS, ToolState};

use crate::{
    args::AddressArg,
    cmd::tool::list::report::{ListReport, ListedTool},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
};

/// Maximum number of ids read per run with `--creator`, because `toolCount` of an untrusted registry is unbounded.
const MAX_IDS: u64 = 10_000;

/// List the tools of a registry
///
/// Lists tools by id, including deregistered ones. --creator omits deregistered tools and reads at most 10,000 ids per run. The
/// list shows what is registered; `atr verify` checks it.
///
/// Exit codes: 0 listed, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List tools of this creator only
    #[arg(long, value_name = "ADDRESS")]
    creator: Option<AddressArg>,

    /// First id
    #[arg(long, value_name = "ID", default_value_t = 1)]
    from: u64,

    /// Maximum number of tools
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: NonZeroUsize,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.list(context))?
}

impl Args {
    async fn list(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect(context).await?;
        let mut pages = registry.pages_from(self.from).await?;
        let mut tools = Vec::new();
        let mut remaining = self.max_ids();
        while remaining > 0 && tools.len() < self.limit.get() {
            let page = pages.next(remaining).await?;
            if page.is_empty() {
                break;
            }
            remaining -= page.len() as u64;
            tools.extend(page.into_iter().filter(|(_, state)| self.matches(state)));
        }
        // The last page can exceed the limit.
        let first_omitted = tools.get(self.limit.get()).map(|(id, _)| id.to_string());
        let next = first_omitted.or_else(|| pages.next_id().map(|id| id.to_string()));
        tools.truncate(self.limit.get());
        let tools = tools.into_iter().map(|(id, state)| {
            let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id)?;
            Ok(ListedTool::new(id, tool.to_string(), state))
        });
        context.output.print(&ListReport {
            chain_id: registry.chain_id(),
            registry: registry.address(),
            count: pages.count().to_string(),
            tools: tools.collect::<eyre::Result<_>>()?,
            next,
        })?;
        Ok(Outcome::Success)
    }

    fn max_ids(&self) -> u64 {
        match self.creator {
            Some(_) => MAX_IDS,
            None => (self.limit.get() as u64).min(MAX_TOOLS),
        }
    }

    fn matches(&self, state: &ToolState) -> bool {
        let creator = self.creator;
        creator.is_none_or(|creator| is_created_by(state, creator.0))
    }
}

fn is_created_by(state: &ToolState, creator: Address) -> bool {
    matches!(state, ToolState::Live(config) if config.creator == creator)
}
