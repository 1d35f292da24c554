//! Source verification at block explorers.

use atr_deploy::{Etherscan, Explorer, Sourcify};
use clap::ValueEnum;
use url::Url;

use crate::{args::Chain, context::Context, error::Error};

/// Not a flag, because other users of the machine can read arguments.
const KEY_VARIABLE: &str = "ATR_ETHERSCAN_API_KEY";

/// Used if `atr` has no key of its own; Foundry uses the same variable.
const FALLBACK_VARIABLE: &str = "ETHERSCAN_API_KEY";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Source verification")]
pub(crate) struct ExplorerArgs {
    /// Verify the sources of the deployed contracts at block explorers
    ///
    /// Uses Sourcify, Etherscan if there is an API key, and Blockscout if its URL is known for the chain. The key is in
    /// ATR_ETHERSCAN_API_KEY, ETHERSCAN_API_KEY, or [etherscan] of the nearest foundry.toml. Needs no compiler.
    #[arg(long)]
    pub(crate) verify: bool,

    /// Explorer to use [default: all available] [repeatable]
    #[arg(long, value_name = "EXPLORER", requires = "verify")]
    verifier: Vec<Verifier>,

    /// URL of an Etherscan-compatible API, version 2
    #[arg(
        long,
        value_name = "URL",
        requires = "verify",
        default_value = "https://api.etherscan.io/v2/api"
    )]
    etherscan_url: Url,

    /// URL of the API of a Blockscout explorer [default: that of the chain, if known]
    #[arg(long, value_name = "URL", requires = "verify")]
    blockscout_url: Option<Url>,

    /// URL of a Sourcify server
    #[arg(
        long,
        value_name = "URL",
        requires = "verify",
        default_value = "https://sourcify.dev/server"
    )]
    sourcify_url: Url,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Verifier {
    /// Requires an API key
    Etherscan,
    /// Requires no API key
    Sourcify,
    /// Requires no API key
    Blockscout,
}

impl ExplorerArgs {
    /// Empty without `--verify`.
    pub(crate) fn explorers(
        &self,
        context: &Context,
        chain: Chain,
    ) -> Result<Vec<Explorer>, Error> {
        if !self.verify {
            return Ok(Vec::new());
        }
        let key = explorer_key(context, chain)?;
        let selected = |verifier| self.verifier.is_empty() || self.verifier.contains(&verifier);
        if key.is_none() && self.verifier.contains(&Verifier::Etherscan) {
            return Err(Error::NoExplorerKey { name: KEY_VARIABLE });
        }
        let etherscan = key
            .filter(|_| selected(Verifier::Etherscan))
            .map(|key| Explorer::Etherscan(Etherscan::new(self.etherscan_url.clone(), key)));
        let sourcify = selected(Verifier::Sourcify)
            .then(|| Explorer::Sourcify(Sourcify::new(self.sourcify_url.clone())));
        let default = match chain.profile().verifier {
            Some(atr_rpc::Verifier::Blockscout(url)) => Some(url),
            _ => None,
        };
        let default = default.map(|url| url.parse().expect("the table has valid URLs"));
        let blockscout = self.blockscout_url.clone().or(default);
        if blockscout.is_none() && self.verifier.contains(&Verifier::Blockscout) {
            return Err(Error::NoBlockscoutUrl {
                chain: chain.to_string(),
            });
        }
        let blockscout = blockscout
            .filter(|_| selected(Verifier::Blockscout))
            .map(|url| Explorer::Etherscan(Etherscan::blockscout(url)));
        let explorers = etherscan.into_iter().chain(sourcify).chain(blockscout);
        Ok(explorers.collect())
    }
}

/// The API key of the environment, else of the chain in `[etherscan]` of `foundry.toml`.
fn explorer_key(context: &Context, chain: Chain) -> Result<Option<String>, Error> {
    for name in [KEY_VARIABLE, FALLBACK_VARIABLE] {
        if let Some(key) = context.environment.text(name)? {
            return Ok(Some(key.to_owned()));
        }
    }
    context.foundry.explorer_key(chain, &context.environment)
}
