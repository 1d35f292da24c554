//! `atr access check`.

mod cause;
mod report;

use alloy_primitives::U256;
use atr_registry::{Access, Error, Registry};

use self::report::CheckReport;
use crate::{
    args::{AccountArg, AllowlistFile, BlockArgs},
    cmd::access::{data, question::QuestionArgs},
    context::Context,
    network::registry,
    outcome::Outcome,
    output::PredicateView,
    process::runtime,
};

/// Check whether an account has access to a tool
///
/// If access is not granted, the requirements reported by the predicate are printed; they are not compared with the
/// holdings of the account. A grant does not authenticate the caller.
///
/// Exit codes: 0 granted, 1 denied or the tool is not registered, 2 usage error, 3 unknown (the predicate has no code or failed, or
/// the node did not respond).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,

    /// Allowlist file, from which the Merkle proof of the account is built [repeatable: the lists are joined]
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    allowlist: Vec<AllowlistFile>,

    #[command(flatten)]
    block: BlockArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.check(context))?
}

impl Args {
    async fn check(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.question.tool).await?;
        let registry = self.block.apply(registry).await?;
        let tool = self.question.find_tool(&registry).await?;
        let account = self.question.resolve_account(context, &registry).await?;
        let list = match self.allowlist.as_slice() {
            [] => None,
            lists => Some(AllowlistFile::load_all(lists, tool.id())?),
        };
        let data = match &list {
            Some(list) => list.call_data(account),
            None => self.question.data.0.clone(),
        };
        // All reads are at the same block.
        let block = registry.block().await?;
        let registry = registry.at_block(block);
        // C-10: for a tool that is not registered this is an error, as in every other command. It is not denied access.
        let access = registry.access(tool.id(), account, &data).await?;
        let predicate = fetch_predicate(&registry, tool.id()).await;
        let cause = match &predicate {
            Ok(Some(view)) if access == Access::Unknown && view.info.has_code => {
                cause::find(&registry, &view.info, tool.id(), account, &data).await
            }
            Ok(Some(view)) if access == Access::Denied => Ok(data::denial(
                &view.requirements,
                account,
                &data,
                list.as_ref(),
            )),
            _ => Ok(None),
        };
        // As below.
        let reason = cause.unwrap_or_default();
        let (predicate, predicate_error) = match predicate {
            Ok(predicate) => (predicate, None),
            // The access result is valid without details of the predicate.
            Err(error) => (None, Some(error.to_string())),
        };
        let report = CheckReport {
            tool: tool.to_string(),
            account,
            name: match &self.question.account {
                AccountArg::Name(name) => Some(name.to_string()),
                AccountArg::Address(_) => None,
            },
            access,
            reason,
            predicate,
            predicate_error,
        };
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}

async fn fetch_predicate(registry: &Registry, id: U256) -> Result<Option<PredicateView>, Error> {
    let config = registry.tool(id).await?.into_config();
    let predicate = config.and_then(|config| config.access_predicate);
    PredicateView::fetch_optional(registry, predicate, id).await
}
