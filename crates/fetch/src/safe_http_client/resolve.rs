//! DNS resolution.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::pin,
    time::Duration,
};

use hickory_resolver::{
    Resolver, TokioResolver,
    config::{NameServerConfig, ResolveHosts, ResolverConfig},
    lookup::Lookup,
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RData, RecordType},
};

use super::target::Target;
use crate::Error;

/// How long to wait for the second address family after the first one has addresses.
const SECOND_FAMILY_GRACE: Duration = Duration::from_secs(1);

/// More name servers than a zone has.
const MAX_NAME_SERVERS: usize = 16;

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
    /// Resolves the host to its addresses, IPv4 first. Never empty. Addresses that arrive too late are not used.
    pub(super) async fn resolve(&self, target: &Target) -> Result<Vec<IpAddr>, Error> {
        if let Some(address) = target.ip_address() {
            return Ok(vec![address]);
        }
        if is_localhost(&target.host) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let to_error = |error: NetError| Error::Resolver {
            host: target.to_string(),
            source: error.into(),
        };
        let resolver = self.resolver().map_err(to_error)?;
        let name = fully_qualified(&target.host).map_err(to_error)?;
        let lookups = both_families(
            resolver.lookup(name.clone(), RecordType::A),
            resolver.lookup(name, RecordType::AAAA),
        );
        let mut addresses = Vec::new();
        let mut failure = None;
        for lookup in lookups.await {
            match lookup {
                Ok(records) => addresses.extend(ip_addresses(&records)),
                // NXDOMAIN or no records of this type: a valid response.
                Err(error) if error.is_no_records_found() => {}
                Err(error) => failure = Some(error),
            }
        }
        addresses.sort_by_key(IpAddr::is_ipv6);
        match failure {
            _ if !addresses.is_empty() => Ok(addresses),
            Some(error) => Err(to_error(error)),
            None => Err(Error::NoAddress {
                host: target.to_string(),
            }),
        }
    }

    /// The name servers of the closest zone above or at the host. A top-level domain is not a zone of the host's owner.
    pub(super) async fn name_servers(&self, target: &Target) -> Result<Option<Vec<String>>, Error> {
        if target.ip_address().is_some() || is_localhost(&target.host) {
            return Ok(None);
        }
        let to_error = |error: NetError| Error::Resolver {
            host: target.to_string(),
            source: error.into(),
        };
        let resolver = self.resolver().map_err(to_error)?;
        let mut name = fully_qualified(&target.host).map_err(to_error)?;
        while name.num_labels() > 1 {
            match resolver.lookup(name.clone(), RecordType::NS).await {
                Ok(records) => {
                    let names = name_server_names(&records, &name);
                    if !names.is_empty() {
                        return Ok(Some(names));
                    }
                }
                Err(error) if error.is_no_records_found() => {}
                Err(error) => return Err(to_error(error)),
            }
            name = name.base_name();
        }
        Ok(None)
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

/// The results of both lookups. If one has addresses and the other is silent, only that one: a name server that drops AAAA
/// queries must not make a host unreachable.
async fn both_families<F>(v4: F, v6: F) -> Vec<Result<Lookup, NetError>>
where
    F: Future<Output = Result<Lookup, NetError>>,
{
    let (mut v4, mut v6) = (pin!(v4), pin!(v6));
    let (first, other) = tokio::select! {
        first = &mut v4 => (first, v6),
        first = &mut v6 => (first, v4),
    };
    let has_addresses = matches!(&first, Ok(records) if ip_addresses(records).next().is_some());
    let second = if has_addresses {
        tokio::time::timeout(SECOND_FAMILY_GRACE, other).await.ok()
    } else {
        Some(other.await)
    };
    [Some(first), second].into_iter().flatten().collect()
}

/// RFC 6761: localhost and its subdomains resolve to loopback without a query, whatever a name server returns.
fn is_localhost(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
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

/// Names in lower case, sorted, at most [`MAX_NAME_SERVERS`]. Only those of the name: a host that is an alias has none.
fn name_server_names(records: &Lookup, name: &Name) -> Vec<String> {
    let records = records.answers().iter();
    let names = records.filter_map(|record| match &record.data {
        RData::NS(server) if record.name == *name => Some(server.0.to_ascii().to_ascii_lowercase()),
        _ => None,
    });
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_NAME_SERVERS);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_and_its_subdomains_are_not_sent_to_dns() {
        // J-03
        for host in ["localhost", "x.localhost", "a.b.localhost"] {
            assert!(is_localhost(host), "{host}");
        }
        for host in ["xlocalhost", "localhost.example", "local", "localhost2"] {
            assert!(!is_localhost(host), "{host}");
        }
    }

    #[test]
    fn the_search_list_is_not_applied() {
        for host in ["tools", "tools.example.com"] {
            let name = fully_qualified(host).unwrap();
            assert!(name.is_fqdn());
            assert_eq!(name.to_ascii(), format!("{host}."));
        }
    }
}
