//! `atr access check`.

mod report;

use alloy_primitives::U256;
use atr_registry::{Access, Error, Registry};

use crate::{
    args::{Account, AccountList, CallData, ToolName},
    cmd::access::check::report::CheckReport,
    context::Context,
    network::registry,
    outcome::Outcome,
    output::GateView,
    process::runtime,
};

/// Ask whether an account may use a tool.
///
/// When the answer is no, what the predicate says it takes is shown; what the account holds is not looked up. A yes does not
/// prove that whoever claims to be the account is: authenticate first.
///
/// Exit codes: 0 granted, 1 denied, 2 misuse, 3 could not find out: the predicate has no code yet, failed or answered nonsense,
/// the tool is not there, or the node did not answer.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool in question
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// Account in question
    #[arg(value_name = "ACCOUNT")]
    account: Account,

    /// Data for the predicate: a token id, a proof, a signature, ABI-encoded. It is public: never put a secret in it
    #[arg(
        long,
        value_name = "HEX",
        default_value = "0x",
        hide_default_value = true
    )]
    data: CallData,

    /// File with the accounts of the tool's allowlist, to make the data of: the proof that the account is on it
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    allowlist: Option<AccountList>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.check(context))?
}

impl Args {
    async fn check(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let account = self.account.0;
        let data = match &self.allowlist {
            Some(list) => list.of_tool(tool.id())?.call_data(account),
            None => self.data.0.clone(),
        };
        // The answer and what is shown beside it are of one block.
        let block = registry.block().await?;
        let registry = registry.at_block(block);
        let (access, reason) = match registry.access(tool.id(), account, &data).await {
            Ok(access) => (access, None),
            // C-10: a tool that is not there denies nobody.
            Err(error @ (Error::ToolNotFound { .. } | Error::ToolIsDeregistered { .. })) => {
                (Access::Unknown, Some(error.to_string()))
            }
            Err(error) => return Err(error.into()),
        };
        let gate = match reason {
            Some(_) => Ok(None),
            None => gate_of(&registry, tool.id()).await,
        };
        let (gate, gate_error) = match gate {
            Ok(gate) => (gate, None),
            // Advice only: the answer holds without it.
            Err(error) => (None, Some(error.to_string())),
        };
        let report = CheckReport {
            tool: tool.to_string(),
            account,
            access,
            reason,
            gate,
            gate_error,
        };
        context.output.present(&report)?;
        Ok(report.outcome())
    }
}

async fn gate_of(registry: &Registry, id: U256) -> Result<Option<GateView>, Error> {
    let config = registry.tool(id).await?.live();
    let predicate = config.and_then(|config| config.access_predicate);
    GateView::of_tool(registry, predicate, id).await
}
