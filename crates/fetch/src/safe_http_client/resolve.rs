//! DNS resolution.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use hickory_resolver::{
    Resolver, TokioResolver,
    config::{NameServerConfig, ResolveHosts, ResolverConfig},
    lookup::Lookup,
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RecordType},
};

use super::target::Target;
use crate::Error;

/// DNS servers to use. Every lookup creates a new resolver without a cache, so that a response is never reused for a later
/// request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum DnsServers {
    /// The system's configuration.
    #[default]
    System,
    /// One name server.
    Server(SocketAddr),
}

impl DnsServers {
    /// Resolves the host to all of its addresses, IPv4 first. Never empty.
    pub(super) async fn resolve(&self, target: &Target) -> Result<Vec<IpAddr>, Error> {
        if let Some(address) = target.ip_address() {
            return Ok(vec![address]);
        }
        // RFC 6761: localhost always resolves to loopback, whatever a name server returns.
        if target.host == "localhost" || target.host.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let to_error = |error: NetError| Error::Resolver {
            host: target.to_string(),
            source: error.into(),
        };
        let resolver = self.resolver().map_err(to_error)?;
        let name = fully_qualified(&target.host).map_err(to_error)?;
        let (v4, v6) = tokio::join!(
            resolver.lookup(name.clone(), RecordType::A),
            resolver.lookup(name, RecordType::AAAA)
        );
        let mut addresses = Vec::new();
        let mut failure = None;
        for lookup in [v4, v6] {
            match lookup {
                Ok(records) => addresses.extend(ip_addresses(&records)),
                // NXDOMAIN or no records of this type: a valid response.
                Err(error) if error.is_no_records_found() => {}
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            _ if !addresses.is_empty() => Ok(addresses),
            Some(error) => Err(to_error(error)),
            None => Err(Error::NoAddress {
                host: target.to_string(),
            }),
        }
    }

    fn resolver(self) -> Result<TokioResolver, NetError> {
        let mut builder = match self {
            Self::System => TokioResolver::builder_tokio()?,
            Self::Server(address) => {
                let mut server = NameServerConfig::udp_and_tcp(address.ip());
                for connection in &mut server.connections {
                    connection.port = address.port();
                }
                let config = ResolverConfig::from_name_servers(vec![server]);
                let mut builder =
                    Resolver::builder_with_config(config, TokioRuntimeProvider::default());
                builder.options_mut().use_hosts_file = ResolveHosts::Never;
                builder
            }
        };
        builder.options_mut().cache_size = 0;
        builder.build()
    }
}

/// A fully qualified name, so that the resolver does not apply the system's search list.
fn fully_qualified(host: &str) -> Result<Name, NetError> {
    let mut name = Name::from_ascii(host)?;
    name.set_fqdn(true);
    Ok(name)
}

fn ip_addresses(records: &Lookup) -> impl Iterator<Item = IpAddr> {
    let records = records.answers().iter();
    records.filter_map(|record| record.data.ip_addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_list_is_not_applied() {
        for host in ["tools", "tools.example.com"] {
            let name = fully_qualified(host).unwrap();
            assert!(name.is_fqdn());
            assert_eq!(name.to_ascii(), format!("{host}."));
        }
    }
}
