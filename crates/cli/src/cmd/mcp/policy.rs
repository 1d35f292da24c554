//! What the user allows an agent to spend. The arguments of the command are in the configuration of the host, which an agent cannot
//! change through this server.

use alloy_primitives::Address;
use atr_auth::{Network, Token};
use atr_client::{IdentityPolicy, SpendPolicy};

use crate::{
    args::{AddressArg, Chain},
    cmd::call::Amount,
    error::Error,
};

const HEADING: &str = "Calls";

/// Limits of `call_tool`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PolicyArgs {
    /// Turn call_tool on; maximum payment of one call in units of the token, such as 0.05, or 0 for calls that cost nothing
    #[arg(long, value_name = "AMOUNT", help_heading = HEADING)]
    max_per_call: Option<Amount>,

    /// Maximum of all payments of 24 hours in the ledger, in units of any token [default: --max-per-call]
    #[arg(long, value_name = "AMOUNT", requires = "max_per_call", help_heading = HEADING)]
    max_per_day: Option<Amount>,

    /// Pay, and prove the identity to, this account only [repeatable] [default: any]
    #[arg(long, value_name = "ADDRESS", requires = "max_per_call", help_heading = HEADING)]
    allow_recipient: Vec<AddressArg>,

    /// Call tools and pay on this chain only [repeatable] [default: any]
    #[arg(long, value_name = "CHAIN", requires = "max_per_call", help_heading = HEADING)]
    allow_chain: Vec<Chain>,

    /// Do not pay if the host cannot ask the user
    #[arg(long, requires = "max_per_call", help_heading = HEADING)]
    always_ask: bool,
}

/// Limits that the user set.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    max_per_call: Amount,
    max_per_day: Amount,
    recipients: Vec<Address>,
    chains: Vec<Chain>,
    pub(super) always_asks: bool,
}

impl PolicyArgs {
    /// `None`: no tool may be called.
    pub(super) fn limits(&self) -> Option<Limits> {
        let max_per_call = self.max_per_call.clone()?;
        Some(Limits {
            max_per_day: self.max_per_day.clone().unwrap_or(max_per_call.clone()),
            max_per_call,
            recipients: self
                .allow_recipient
                .iter()
                .map(|address| address.0)
                .collect(),
            chains: self.allow_chain.clone(),
            always_asks: self.always_ask,
        })
    }
}

impl Limits {
    pub(super) fn allows_chain(&self, id: u64) -> bool {
        self.chains.is_empty() || self.chains.contains(&Chain::new(id))
    }

    /// The limits for a demand in a token.
    pub(super) fn policy(&self, token: &Token) -> Result<SpendPolicy, Error> {
        let networks = self.chains.iter();
        Ok(SpendPolicy {
            max_amount: self.max_per_call.of(token, "--max-per-call")?,
            max_per_day: Some(self.max_per_day.of(token, "--max-per-day")?),
            allowed_recipients: self.recipients.clone(),
            allowed_networks: networks
                .filter_map(|chain| Network::from_chain_id(chain.id()))
                .collect(),
            identity: IdentityPolicy::Named,
        })
    }
}
