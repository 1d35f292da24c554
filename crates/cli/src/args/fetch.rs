//! Options for fetching manifests from untrusted URLs.

use std::{fs, net::SocketAddr, path::PathBuf};

use atr_fetch::{AllowedHost, AllowedHosts, Limits, SafeHttpClient};

use super::InvalidValue;
use crate::{context::Context, error::Error};

/// Environment variable with a DNS server to use instead of the system resolver.
const NAME_SERVER: &str = "ATR_NAME_SERVER";

/// Set on each flag, because `next_help_heading` would also apply to the flags of the command.
const HEADING: &str = "Fetching";

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FetchArgs {
    /// Allow this host and port to resolve to a private or loopback address [repeatable]
    ///
    /// Manifest URLs are untrusted, so by default they must resolve to public addresses (SSRF protection). All other
    /// checks still apply to an allowed host. Names are resolved by the system, or by the DNS server in
    /// ATR_NAME_SERVER (address:port).
    #[arg(long, value_name = "HOST:PORT", help_heading = HEADING)]
    allow_host: Vec<AllowedHost>,

    /// Additional root certificates (PEM) for allowed hosts
    #[arg(long, value_name = "FILE", help_heading = HEADING, requires = "allow_host")]
    ca_file: Option<PathBuf>,
}

impl FetchArgs {
    /// HTTP client for untrusted manifest URLs.
    pub(crate) fn client(&self, context: &Context) -> eyre::Result<SafeHttpClient> {
        if !self.allow_host.is_empty() {
            let hosts: Vec<_> = self.allow_host.iter().map(ToString::to_string).collect();
            tracing::warn!(
                hosts = hosts.join(","),
                "--allow-host: private and loopback addresses are allowed for these hosts"
            );
        }
        let roots = match &self.ca_file {
            Some(path) => fs::read(path).map_err(|source| Error::CaFile {
                path: path.clone(),
                source: source.into(),
            })?,
            None => Vec::new(),
        };
        let allowed = AllowedHosts {
            hosts: self.allow_host.clone(),
            root_certificates: roots,
        };
        let client = match (
            SafeHttpClient::try_new(Limits::MANIFEST, allowed),
            &self.ca_file,
        ) {
            (Err(source @ atr_fetch::Error::RootCertificates), Some(path)) => {
                return Err(Error::CaFile {
                    path: path.clone(),
                    source: source.into(),
                }
                .into());
            }
            (client, _) => client?,
        };
        Ok(match name_server(context)? {
            Some(server) => client.with_name_server(server),
            None => client,
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
