//! Options for fetching manifests from untrusted URLs.

use std::{fs, net::SocketAddr, path::PathBuf, sync::Once};

use atr_fetch::{AllowedHost, AllowedHosts, Limits, SafeHttpClient};

use super::InvalidValue;
use crate::{context::Context, error::Error};

/// Environment variable with a DNS server to use instead of the system resolver.
const NAME_SERVER: &str = "ATR_NAME_SERVER";

/// Environment variables with the values of the flags, for a development server.
const ALLOW_HOST: &str = "ATR_ALLOW_HOST";
const CA_FILE: &str = "ATR_CA_FILE";

/// A command can create several clients.
static WARNING: Once = Once::new();

/// Set on each flag, because `next_help_heading` would also apply to the flags of the command.
const HEADING: &str = "Fetching";

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FetchArgs {
    /// Allow this host and port to resolve to a private or loopback address [repeatable]
    ///
    /// Manifest URLs are untrusted, so by default they must resolve to public addresses (SSRF protection). All other
    /// checks still apply to an allowed host. ATR_ALLOW_HOST adds hosts, comma-separated. Names are resolved by the
    /// system, or by the DNS server in ATR_NAME_SERVER (address:port).
    #[arg(long, value_name = "HOST:PORT", help_heading = HEADING)]
    allow_host: Vec<AllowedHost>,

    /// Additional root certificates (PEM) for allowed hosts [default: the file in ATR_CA_FILE]
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    ca_file: Option<PathBuf>,
}

impl FetchArgs {
    /// HTTP client for untrusted manifest URLs.
    pub(crate) fn client(&self, context: &Context) -> eyre::Result<SafeHttpClient> {
        let allowed = self.allowed_hosts(context)?;
        // The hosts of the variable were allowed before this command.
        if !self.allow_host.is_empty() {
            let hosts: Vec<_> = self.allow_host.iter().map(ToString::to_string).collect();
            let warning = format!(
                "private and loopback addresses are allowed for {}",
                hosts.join(", ")
            );
            WARNING.call_once(|| context.output.print_warning(&warning));
        }
        if self.ca_file.is_some() && allowed.is_empty() {
            return Err(Error::CaFileWithoutHost.into());
        }
        let ca_file = self
            .ca_file
            .clone()
            .or_else(|| context.environment.path(CA_FILE));
        let roots = match &ca_file {
            Some(path) => fs::read(path).map_err(|source| Error::CaFile {
                path: path.clone(),
                source: source.into(),
            })?,
            None => Vec::new(),
        };
        let allowed = AllowedHosts {
            hosts: allowed,
            root_certificates: roots,
        };
        let client = match (SafeHttpClient::try_new(Limits::MANIFEST, allowed), &ca_file) {
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

    /// The hosts of the flags and of the environment.
    fn allowed_hosts(&self, context: &Context) -> Result<Vec<AllowedHost>, Error> {
        let mut hosts = self.allow_host.clone();
        for host in context
            .environment
            .text(ALLOW_HOST)?
            .into_iter()
            .flat_map(|hosts| hosts.split(','))
        {
            hosts.push(
                host.parse()
                    .map_err(|error: atr_fetch::Error| Error::InvalidVariable {
                        name: ALLOW_HOST,
                        reason: InvalidValue::Host {
                            reason: error.to_string(),
                        },
                    })?,
            );
        }
        Ok(hosts)
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
