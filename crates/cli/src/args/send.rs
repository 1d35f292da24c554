//! Options of every command that sends transactions.

use std::time::Duration;

use alloy_primitives::Address;
use atr_registry::{FeeLimits, WaitPolicy};

use super::{AddressArg, GasPrice};
use crate::{
    context::Context,
    error::Error,
    signer::{BoxSigner, SignerArgs},
};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Transaction")]
pub(crate) struct SendArgs {
    /// Print the plan without signing or sending; needs no signer
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,

    /// Sender of the planned transactions if there is no signer; requires --dry-run
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "dry_run",
        conflicts_with = "signer"
    )]
    from: Option<AddressArg>,

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

    pub(crate) fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy {
            timeout: Duration::from_secs(self.timeout),
            ..WaitPolicy::default()
        }
    }

    /// The signer; `None` with `--from`, or if no signer is configured.
    pub(crate) async fn load_signer(
        &self,
        context: &Context,
        chain_id: u64,
    ) -> Result<Option<BoxSigner>, Error> {
        match self.from {
            Some(_) => Ok(None),
            None => self.signer.load(context, chain_id).await,
        }
    }

    /// Address of the signer or of `--from`.
    pub(crate) fn sender_address(&self, signer: Option<&BoxSigner>) -> Option<Address> {
        let signer = signer.map(|signer| signer.address());
        signer.or(self.from.map(|from| from.0))
    }
}
