//! `atr access check`.

mod cause;
mod report;

use alloy_primitives::U256;
use atr_registry::{Access, Error, Registry};

use self::report::CheckReport;
use crate::{
    args::{AddressArg, AllowlistFile, CallData, ToolArg},
    cmd::access::data,
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
/// Exit codes: 0 granted, 1 denied, 2 usage error, 3 unknown (the predicate has no code or failed, the tool is not registered,
/// or the node did not respond).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to check
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Account to check
    #[arg(value_name = "ACCOUNT")]
    account: AddressArg,

    /// ABI-encoded data for the predicate, such as a token id, a proof or a signature; public, so it must not contain secrets
    #[arg(
        long,
        value_name = "HEX",
        default_value = "0x",
        hide_default_value = true
    )]
    data: CallData,

    /// Allowlist file, from which the Merkle proof of the account is built [repeatable: the lists are joined]
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    allowlist: Vec<AllowlistFile>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.check(context))?
}

impl Args {
    async fn check(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let account = self.account.0;
        let list = match self.allowlist.as_slice() {
            [] => None,
            lists => Some(AllowlistFile::load_all(lists, tool.id())?),
        };
        let data = match &list {
            Some(list) => list.call_data(account),
            None => self.data.0.clone(),
        };
        // All reads are at the same block.
        let block = registry.block().await?;
        let registry = registry.at_block(block);
        let (access, reason) = match registry.access(tool.id(), account, &data).await {
            Ok(access) => (access, None),
            // C-10: access to a tool that is not registered is unknown.
            Err(error @ (Error::ToolNotFound { .. } | Error::ToolIsDeregistered { .. })) => {
                (Access::Unknown, Some(error.to_string()))
            }
            Err(error) => return Err(error.into()),
        };
        let predicate = match reason {
            Some(_) => Ok(None),
            None => fetch_predicate(&registry, tool.id()).await,
        };
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
        let reason = match cause {
            Ok(cause) => reason.or(cause),
            // As below.
            Err(_) => reason,
        };
        let (predicate, predicate_error) = match predicate {
            Ok(predicate) => (predicate, None),
            // The access result is valid without details of the predicate.
            Err(error) => (None, Some(error.to_string())),
        };
        let report = CheckReport {
            tool: tool.to_string(),
            account,
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
