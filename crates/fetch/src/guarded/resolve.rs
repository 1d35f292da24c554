//! Where a host is.

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

/// Who is asked about names. A resolver is made for every question and thrown away with its memory: an answer that was checked
/// once must not stand in for one that was not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Names {
    /// As the system is configured.
    #[default]
    System,
    /// This one.
    Server(SocketAddr),
}

impl Names {
    /// Every address of the host, IPv4 first; at least one.
    pub(super) async fn addresses(&self, target: &Target) -> Result<Vec<IpAddr>, Error> {
        if let Some(address) = target.literal() {
            return Ok(vec![address]);
        }
        // RFC 6761: this name is never anybody else's, whatever a name server says.
        if target.host == "localhost" || target.host.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let failed = |error: NetError| Error::Resolver {
            host: target.to_string(),
            source: error.into(),
        };
        let resolver = self.resolver().map_err(failed)?;
        let name = full_name(&target.host).map_err(failed)?;
        let (v4, v6) = tokio::join!(
            resolver.lookup(name.clone(), RecordType::A),
            resolver.lookup(name, RecordType::AAAA)
        );
        let mut addresses = Vec::new();
        let mut failure = None;
        for answer in [v4, v6] {
            match answer {
                Ok(records) => addresses.extend(of_records(&records)),
                // The name or its records are not there, which is an answer.
                Err(error) if error.is_no_records_found() => {}
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            _ if !addresses.is_empty() => Ok(addresses),
            Some(error) => Err(failed(error)),
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

/// The host as it stands: no search list of the system's is to be tried on it.
fn full_name(host: &str) -> Result<Name, NetError> {
    let mut name = Name::from_ascii(host)?;
    name.set_fqdn(true);
    Ok(name)
}

fn of_records(records: &Lookup) -> impl Iterator<Item = IpAddr> {
    let records = records.answers().iter();
    records.filter_map(|record| record.data.ip_addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_search_list_is_tried_on_a_name() {
        for host in ["tools", "tools.example.com"] {
            let name = full_name(host).unwrap();
            assert!(name.is_fqdn());
            assert_eq!(name.to_ascii(), format!("{host}."));
        }
    }
}
