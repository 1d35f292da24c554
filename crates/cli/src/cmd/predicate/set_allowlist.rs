//! `atr predicate set-allowlist`.

use alloy_primitives::{B256, U256};
use atr_registry::Configuration;

use crate::{
    args::{AccountList, Word},
    cmd::predicate::configure::ConfigureArgs,
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// Let in accounts on a list, known by its Merkle root.
///
/// Replaces what was set before. Only the root goes on the chain: keep the list, whoever wants in needs it for a proof in the call's
/// data (`atr access check --allowlist` makes one). A leaf is keccak256(keccak256(abi.encode(uint256 toolId, address account))), a
/// node keccak256 of its two children in ascending order; the tree is that of OpenZeppelin's StandardMerkleTree.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("list").required(true))]
pub(crate) struct Args {
    #[command(flatten)]
    configure: ConfigureArgs,

    /// File with the accounts, one a line; what follows a # is left out
    #[arg(long, value_name = "FILE", group = "list")]
    accounts: Option<AccountList>,

    /// Merkle root of the list, 32 bytes
    #[arg(long, value_name = "WORD", group = "list")]
    root: Option<Word>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let configuration = |id| {
        let root = args.root(id)?;
        Ok(Configuration::Allowlist { root })
    };
    let set = args.configure.configure(context, configuration);
    runtime::block_on(set)?
}

impl Args {
    fn root(&self, tool_id: U256) -> Result<B256, Error> {
        match (&self.root, &self.accounts) {
            (Some(root), _) => Ok(root.0),
            (None, Some(list)) => Ok(list.of_tool(tool_id)?.root()),
            (None, None) => unreachable!("the parser wants one of them"),
        }
    }
}
