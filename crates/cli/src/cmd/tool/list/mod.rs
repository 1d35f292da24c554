//! `atr tool list`.

mod report;

use std::num::NonZeroUsize;

use alloy_primitives::Address;
use atr_ids::ToolRef;
use atr_registry::{MAX_TOOLS, ToolState};

use crate::{
    args::Account,
    cmd::tool::list::report::{ListReport, ListedTool},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
};

/// Ids that one run looks at for the tools of one creator: how many there are is the registry's own claim.
const LOOKED_AT: u64 = 10_000;

/// List the tools of a registry, by id.
///
/// Tools that were removed are listed without a creator, and left out with --creator, which looks at 10,000 ids at a time. What
/// the registry says is shown; whether it holds is what `atr verify` says.
///
/// Exit codes: 0 listed, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only tools of this creator
    #[arg(long, value_name = "ADDRESS")]
    creator: Option<Account>,

    /// First id to look at
    #[arg(long, value_name = "ID", default_value_t = 1)]
    from: u64,

    /// Most tools to list
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
        let mut left = self.most_ids();
        while left > 0 && tools.len() < self.limit.get() {
            let page = pages.next(left).await?;
            if page.is_empty() {
                break;
            }
            left -= page.len() as u64;
            tools.extend(page.into_iter().filter(|(_, state)| self.wants(state)));
        }
        // A page may hold more than was wanted.
        let cut = tools.get(self.limit.get()).map(|(id, _)| id.to_string());
        let next = cut.or_else(|| pages.next_id().map(|id| id.to_string()));
        tools.truncate(self.limit.get());
        let tools = tools.into_iter().map(|(id, state)| {
            let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id)?;
            Ok(ListedTool::new(id, tool.to_string(), state))
        });
        context.output.present(&ListReport {
            chain_id: registry.chain_id(),
            registry: registry.address(),
            count: pages.count().to_string(),
            tools: tools.collect::<eyre::Result<_>>()?,
            next,
        })?;
        Ok(Outcome::Yes)
    }

    /// How many ids one run looks at.
    fn most_ids(&self) -> u64 {
        match self.creator {
            Some(_) => LOOKED_AT,
            None => (self.limit.get() as u64).min(MAX_TOOLS),
        }
    }

    fn wants(&self, state: &ToolState) -> bool {
        let creator = self.creator;
        creator.is_none_or(|creator| is_of(state, creator.0))
    }
}

fn is_of(state: &ToolState, creator: Address) -> bool {
    matches!(state, ToolState::Live(config) if config.creator == creator)
}
