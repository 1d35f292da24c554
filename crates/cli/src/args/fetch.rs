//! URLs that strangers chose, for every command that reads one.

use std::{fs, net::SocketAddr, path::PathBuf};

use atr_fetch::{AllowedHost, AllowedHosts, Limits, SafeHttpClient};

use crate::{args::InvalidValue, context::Context, error::Error};

/// Names a name server to ask instead of the system's.
const NAME_SERVER: &str = "ATR_NAME_SERVER";

/// Said of each flag: a heading of the whole would go on over the flags of the command.
const HEADING: &str = "Reading URLs";

/// AllowedHosts from the rules for such URLs.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct GuardArgs {
    /// Host and port that need not be public [repeatable]
    ///
    /// A URL may be anybody's, so the addresses it leads to must be public; this machine and private networks are refused.
    /// For exactly this host and port they are not; every other rule still holds. Names are looked up as the system does,
    /// or at ATR_NAME_SERVER (address:port) if it is set.
    #[arg(long, value_name = "HOST:PORT", help_heading = HEADING)]
    allow_host: Vec<AllowedHost>,

    /// Root certificates (PEM) to trust for those hosts, beside the system's
    #[arg(long, value_name = "FILE", help_heading = HEADING, requires = "allow_host")]
    ca_file: Option<PathBuf>,
}

impl GuardArgs {
    /// The door to such URLs, for manifests.
    pub(crate) fn door(&self, context: &Context) -> eyre::Result<SafeHttpClient> {
        if !self.allow_host.is_empty() {
            let hosts: Vec<_> = self.allow_host.iter().map(ToString::to_string).collect();
            tracing::warn!(
                hosts = hosts.join(","),
                "these hosts may lead anywhere, this machine and private networks included"
            );
        }
        let roots = match &self.ca_file {
            Some(path) => fs::read(path).map_err(|source| Error::CaFile {
                path: path.clone(),
                source: source.into(),
            })?,
            None => Vec::new(),
        };
        let exceptions = AllowedHosts {
            hosts: self.allow_host.clone(),
            roots,
        };
        let door = SafeHttpClient::try_new(Limits::MANIFEST, exceptions);
        let door = match (door, &self.ca_file) {
            (Err(source @ atr_fetch::Error::Roots), Some(path)) => {
                return Err(Error::CaFile {
                    path: path.clone(),
                    source: source.into(),
                }
                .into());
            }
            (door, _) => door?,
        };
        Ok(match name_server(context)? {
            Some(server) => door.with_name_server(server),
            None => door,
        })
    }
}

fn name_server(context: &Context) -> Result<Option<SocketAddr>, Error> {
    let text = context.environment.text(NAME_SERVER)?;
    let parse = |text: &str| {
        text.parse().map_err(|_| Error::InvalidVariable {
            name: NAME_SERVER,
            reason: InvalidValue::SocketAddress {
                found: text.to_owned(),
            },
        })
    };
    text.map(parse).transpose()
}
