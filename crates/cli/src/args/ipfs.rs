//! Where IPFS blocks come from.

use std::path::PathBuf;

use atr_fetch::HttpClient;
use atr_verify::card::{Ipfs, IpfsGateway};

use super::RpcUrl;
use crate::{context::Context, error::Error};

/// Environment variable with the value of the flag.
const GATEWAY: &str = "ATR_IPFS_GATEWAY";

/// Set on each flag, because `next_help_heading` would also apply to the flags of the command.
const HEADING: &str = "IPFS";

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct IpfsArgs {
    /// Trustless gateway for IPFS blocks, such as https://trustless-gateway.link [default: ATR_IPFS_GATEWAY, else none]
    ///
    /// Blocks are compared with their CIDs, so the gateway is not trusted. Without a source of blocks, what needs them is unknown.
    #[arg(long, value_name = "URL", help_heading = HEADING, conflicts_with = "ipfs_folder")]
    ipfs_gateway: Option<RpcUrl>,

    /// Folder with files named <cid>.car, instead of a gateway
    #[arg(long, value_name = "FOLDER", help_heading = HEADING)]
    ipfs_folder: Option<PathBuf>,
}

impl IpfsArgs {
    pub(crate) fn source(&self, context: &Context) -> eyre::Result<Ipfs> {
        if let Some(folder) = &self.ipfs_folder {
            return Ok(Ipfs::Folder(folder.clone()));
        }
        let url = match &self.ipfs_gateway {
            Some(url) => Some(url.clone()),
            None => match context.environment.text(GATEWAY)? {
                Some(text) => Some(text.parse().map_err(|reason| Error::InvalidVariable {
                    name: GATEWAY,
                    reason,
                })?),
                None => None,
            },
        };
        Ok(match url {
            Some(url) => Ipfs::Gateway(Box::new(IpfsGateway {
                url: url.url(),
                http: HttpClient::try_new(atr_fetch::Limits::default())?,
            })),
            None => Ipfs::None,
        })
    }
}
