//! Options for names of the Ethereum Name Service.

use alloy_primitives::Address;

use super::{AddressArg, RpcUrl};
use crate::{context::Context, error::Error};

/// Environment variables with the values of the flags.
const RPC_URL: &str = "ATR_ENS_RPC_URL";
const REGISTRY: &str = "ATR_ENS_REGISTRY";

/// Set on each flag, because `next_help_heading` would also apply to the flags of the command.
const HEADING: &str = "ENS";

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EnsArgs {
    /// Node of the chain with the names [default: ATR_ENS_RPC_URL, else the node of the command]
    #[arg(long, value_name = "URL", help_heading = HEADING)]
    ens_rpc_url: Option<RpcUrl>,

    /// ENS registry [default: ATR_ENS_REGISTRY, else that of the chain]
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    ens_registry: Option<AddressArg>,
}

impl EnsArgs {
    pub(crate) fn rpc_url(&self, context: &Context) -> Result<Option<RpcUrl>, Error> {
        match &self.ens_rpc_url {
            Some(url) => Ok(Some(url.clone())),
            None => parse(context, RPC_URL),
        }
    }

    /// `None` for the registry of the chain.
    pub(crate) fn registry(&self, context: &Context) -> Result<Option<Address>, Error> {
        match self.ens_registry {
            Some(address) => Ok(Some(address.0)),
            None => Ok(parse::<AddressArg>(context, REGISTRY)?.map(|address| address.0)),
        }
    }
}

fn parse<T: std::str::FromStr<Err = super::InvalidValue>>(
    context: &Context,
    name: &'static str,
) -> Result<Option<T>, Error> {
    let text = context.environment.text(name)?;
    let parse = |text: &str| {
        let value = text.parse();
        value.map_err(|reason| Error::InvalidVariable { name, reason })
    };
    text.map(parse).transpose()
}
