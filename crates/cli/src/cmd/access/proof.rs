//! `atr access proof`.

use alloy_primitives::{Address, B256, Bytes};
use serde::Serialize;

use crate::{
    args::{AddressArg, AllowlistFile, ToolArg},
    cmd::{access::data::allowlist_root, tool::describe_accounts},
    context::Context,
    network::registry,
    outcome::Outcome,
    output::{Palette, PredicateView, Report},
    process::runtime,
};

/// Print the Merkle proof of an account of an allowlist
///
/// Callers of the tool pass `data` as call data. The root of the list is compared with that of the tool's access predicate.
///
/// Exit codes: 0 the account is on the list of the tool, 1 it is not, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool of the allowlist
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Account to prove
    #[arg(value_name = "ACCOUNT")]
    account: AddressArg,

    /// File with one account per line; # starts a comment [repeatable: the lists are joined]
    #[arg(long, value_name = "FILE", required = true)]
    allowlist: Vec<AllowlistFile>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.print(context))?
}

impl Args {
    async fn print(&self, context: &Context) -> eyre::Result<Outcome> {
        let accounts = AllowlistFile::all_accounts(&self.allowlist)?;
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let list = AllowlistFile::load_all(&self.allowlist, tool.id())?;
        let predicate =
            PredicateView::fetch_optional(&registry, config.access_predicate, tool.id()).await?;
        let requirements = predicate.as_ref().map(|view| &view.requirements);
        let account = self.account.0;
        let report = ProofReport {
            tool: tool.to_string(),
            account,
            list: describe_accounts(&accounts),
            root: list.root(),
            predicate_root: requirements.and_then(allowlist_root),
            proof: list.proof(account),
            data: list.proof(account).map(|_| list.call_data(account)),
        };
        context.output.print(&report)?;
        Ok(report.result())
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProofReport {
    tool: String,
    account: Address,
    #[serde(skip)]
    list: String,
    root: B256,
    /// `None` if the predicate reports none.
    predicate_root: Option<B256>,
    /// `None` if the account is not on the list.
    proof: Option<Vec<B256>>,
    /// The encoded proof.
    data: Option<Bytes>,
}

impl Report for ProofReport {
    fn render(&self, palette: &Palette) -> String {
        let comparison = match self.predicate_root {
            Some(root) if root == self.root => palette.success("that of the access predicate"),
            Some(root) => palette.error(&format!("the access predicate has {root}")),
            None => palette.warning("the access predicate reports no allowlist"),
        };
        let mut lines = vec![
            ("tool", self.tool.clone()),
            ("account", self.account.to_string()),
            ("list", self.list.clone()),
            ("root", format!("{} ({comparison})", self.root)),
        ];
        match &self.proof {
            None => lines.push((
                "proof",
                palette.error("none: the account is not on the list"),
            )),
            Some(proof) if proof.is_empty() => {
                lines.push(("proof", "empty: the account is the only one".to_owned()));
            }
            Some(proof) => {
                let labels = std::iter::once("proof").chain(std::iter::repeat(""));
                lines.extend(labels.zip(proof.iter().map(ToString::to_string)));
            }
        }
        lines.extend(self.data.as_ref().map(|data| ("data", data.to_string())));
        let lines = lines.into_iter();
        lines
            .map(|(label, value)| format!("{label:<10}  {value}\n"))
            .collect()
    }

    fn result(&self) -> Outcome {
        match (&self.proof, self.predicate_root) {
            (None, _) => Outcome::Failure,
            (Some(_), Some(root)) if root != self.root => Outcome::Failure,
            (Some(_), Some(_)) => Outcome::Success,
            (Some(_), None) => Outcome::Unknown,
        }
    }
}
