//! Options of every command that sends transactions.

use std::{path::PathBuf, time::Duration};

use alloy_primitives::Address;
use atr_rpc::{FeeLimits, Node, WaitPolicy, Wei};

use super::{AccountArg, Amount, GasPrice};
use crate::{
    context::Context,
    error::Error,
    network::ens,
    signer::{BoxSigner, SignerArgs},
};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Transaction")]
pub(crate) struct SendArgs {
    /// Print the plan without signing or sending; needs no signer
    #[arg(long, group = "not_sent")]
    pub(crate) dry_run: bool,

    /// Print to, data and value of each transaction for another signer; signs and sends nothing
    #[arg(long, group = "not_sent")]
    pub(crate) unsigned: bool,

    /// Write the transactions to a file for the Safe Transaction Builder; signs and sends nothing
    #[arg(long, value_name = "FILE", group = "not_sent")]
    pub(crate) safe: Option<PathBuf>,

    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Sender of the transactions: an address, or an ENS name on mainnet
    ///
    /// The signer must be this account. --dry-run, --unsigned and --safe need no signer.
    #[arg(long, value_name = "ACCOUNT")]
    from: Option<AccountArg>,

    /// Maximum cost of all transactions, replacements included, for example 0.01ether [default: the maximum of the plan]
    #[arg(long, value_name = "AMOUNT")]
    max_cost: Option<Amount>,

    /// Maximum fee per gas, for example 2gwei
    #[arg(long, value_name = "PRICE")]
    max_fee_per_gas: Option<GasPrice>,

    /// Maximum priority fee per gas, for example 0.01gwei
    #[arg(long, value_name = "PRICE")]
    max_priority_fee_per_gas: Option<GasPrice>,

    /// Maximum time to wait for a transaction to be included
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,

    #[command(flatten)]
    signer: SignerArgs,
}

impl SendArgs {
    pub(crate) fn fee_limits(&self) -> FeeLimits {
        FeeLimits {
            max_fee_per_gas: self.max_fee_per_gas.map(|price| price.0),
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(|price| price.0),
        }
    }

    pub(crate) fn max_cost(&self) -> Option<Wei> {
        self.max_cost.map(|amount| amount.0)
    }

    /// Whether the transactions are for another signer.
    pub(crate) const fn is_unsigned(&self) -> bool {
        self.unsigned || self.safe.is_some()
    }

    pub(crate) fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy {
            timeout: Duration::from_secs(self.timeout),
            ..WaitPolicy::default()
        }
    }

    /// The signer and the sender, which are the same account. No signer is loaded for transactions of another signer, nor for a dry
    /// run with `--from`, unless a flag selects it.
    pub(crate) async fn load_signer(
        &self,
        context: &Context,
        node: &Node,
        chain_id: u64,
    ) -> eyre::Result<(Option<BoxSigner>, Option<Address>)> {
        let from = match &self.from {
            Some(from) => Some(ens::resolve(from, context, node, chain_id).await?),
            None => None,
        };
        let is_planned_only = self.dry_run && from.is_some() && !self.signer.is_set();
        if self.is_unsigned() || is_planned_only {
            return Ok((None, from));
        }
        let signer = self.signer.load(context, chain_id).await?;
        let address = signer.as_ref().map(|signer| signer.address());
        match (address, from) {
            (Some(signer), Some(from)) if signer != from => {
                Err(Error::OtherSigner { signer, from }.into())
            }
            _ => Ok((signer, address.or(from))),
        }
    }
}
