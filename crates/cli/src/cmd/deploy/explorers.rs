//! Which explorers to verify at.

use atr_deploy::{Etherscan, Explorer, Sourcify};
use clap::ValueEnum;
use url::Url;

use crate::{context::Context, error::Error};

/// Where the key of Etherscan stands. Never an argument.
const KEY_VARIABLE: &str = "ATR_ETHERSCAN_API_KEY";

/// Where sources are verified.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Verification")]
pub(crate) struct ExplorerArgs {
    /// Have explorers verify the sources of what is deployed
    ///
    /// Sourcify needs no key; Etherscan is asked as well when ATR_ETHERSCAN_API_KEY holds one. No compiler is needed here.
    #[arg(long)]
    pub(crate) verify: bool,

    /// Explorer to verify at, instead of all that can be [repeatable]
    #[arg(long, value_name = "EXPLORER", requires = "verify")]
    verifier: Vec<Verifier>,

    /// Etherscan's API, version 2, or an explorer that speaks it
    #[arg(
        long,
        value_name = "URL",
        requires = "verify",
        default_value = "https://api.etherscan.io/v2/api"
    )]
    etherscan_url: Url,

    /// A server of Sourcify
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
    /// Needs ATR_ETHERSCAN_API_KEY
    Etherscan,
    /// Needs no key
    Sourcify,
}

impl ExplorerArgs {
    /// The explorers to ask, in order; none if verification was not asked for.
    pub(crate) fn explorers(&self, context: &Context) -> Result<Vec<Explorer>, Error> {
        if !self.verify {
            return Ok(Vec::new());
        }
        let key = context.environment.text(KEY_VARIABLE)?;
        let wanted = |verifier| self.verifier.is_empty() || self.verifier.contains(&verifier);
        if key.is_none() && self.verifier.contains(&Verifier::Etherscan) {
            return Err(Error::NoExplorerKey { name: KEY_VARIABLE });
        }
        let etherscan = key.filter(|_| wanted(Verifier::Etherscan)).map(|key| {
            Explorer::Etherscan(Etherscan::new(self.etherscan_url.clone(), key.to_owned()))
        });
        let sourcify = wanted(Verifier::Sourcify)
            .then(|| Explorer::Sourcify(Sourcify::new(self.sourcify_url.clone())));
        Ok(etherscan.into_iter().chain(sourcify).collect())
    }
}
