//! `atr predicate set-allowlist`.

use alloy_primitives::{B256, U256};
use atr_registry::predicates::merkle_allowlist;

use crate::{
    args::{AllowlistFile, Bytes32},
    cmd::{
        predicate::configure::{ConfigureArgs, TokenOptions},
        tool::describe_accounts,
    },
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to the accounts of a Merkle allowlist
///
/// Replaces the current configuration. Only the Merkle root is stored on chain: keep the list, because
/// callers need it to build their proof (`atr access proof` prints it). The tree is OpenZeppelin's
/// StandardMerkleTree with leaves keccak256(keccak256(abi.encode(uint256 toolId, address account))).
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("list").required(true))]
pub(crate) struct Args {
    /// File with one account per line; # starts a comment
    #[arg(long, value_name = "FILE", group = "list")]
    accounts: Option<AllowlistFile>,

    /// Merkle root, 32 bytes
    #[arg(long, value_name = "BYTES32", group = "list")]
    root: Option<Bytes32>,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let lines = args.lines()?;
    let configuration = |id, _| {
        let root = args.root(id)?;
        Ok(merkle_allowlist::Configuration { root }.into())
    };
    let configure =
        args.configure
            .run_with_lines(context, lines, TokenOptions::default(), configuration);
    runtime::block_on(configure)?
}

impl Args {
    /// Number of accounts and duplicates, and where proofs come from.
    fn lines(&self) -> Result<Vec<(&'static str, String)>, Error> {
        let Some(list) = &self.accounts else {
            return Ok(Vec::new());
        };
        let accounts = list.accounts()?;
        let proofs = format!("atr access proof <TOOL> <ACCOUNT> --allowlist {list}");
        Ok(vec![
            ("accounts", describe_accounts(&accounts)),
            ("proofs", proofs),
        ])
    }

    fn root(&self, tool_id: U256) -> Result<B256, Error> {
        match (&self.root, &self.accounts) {
            (Some(root), _) => Ok(root.0),
            (None, Some(list)) => Ok(list.load(tool_id)?.root()),
            (None, None) => unreachable!("clap requires one of them"),
        }
    }
}
