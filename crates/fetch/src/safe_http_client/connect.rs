//! TCP connections to addresses, never to names.

use std::{io, net::SocketAddr, time::Duration};

use tokio::net::TcpStream;

use super::target::Target;
use crate::Error;

/// Maximum number of addresses tried per request.
const MAX_ATTEMPTS: usize = 4;

/// Opens TCP connections.
#[derive(Clone, Debug, Default)]
pub(super) enum Connector {
    /// Connects to the given address.
    #[default]
    Tcp,
    /// Records the address and connects to a server on loopback.
    #[cfg(test)]
    Redirected(std::sync::Arc<super::tests::Redirection>),
}

impl Connector {
    /// Connects to the first address that accepts the connection. `timeout` is divided evenly among the addresses.
    pub(super) async fn connect(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        timeout: Duration,
    ) -> Result<TcpStream, Error> {
        let addresses = &addresses[..addresses.len().min(MAX_ATTEMPTS)];
        let share = timeout / u32::try_from(addresses.len()).map_or(1, |count| count.max(1));
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match tokio::time::timeout(share, self.connect_to(*address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(Error::Unreachable {
            host: target.to_string(),
            source: last.into(),
        })
    }

    async fn connect_to(&self, address: SocketAddr) -> io::Result<TcpStream> {
        match self {
            Self::Tcp => TcpStream::connect(address).await,
            #[cfg(test)]
            Self::Redirected(redirection) => TcpStream::connect(redirection.record(address)).await,
        }
    }
}
