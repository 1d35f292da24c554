//! Connecting to an address, never to a name.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{net::TcpStream, time::timeout};

use super::target::Target;
use crate::Error;

/// A name may have any number of addresses; we knock at so many of them.
const MAX_DIALLED: usize = 4;

/// How connections are made.
#[derive(Clone, Debug, Default)]
pub(super) enum Dialler {
    /// To the address.
    #[default]
    Tcp,
    /// To a server on loopback in its place; the address is written down.
    #[cfg(test)]
    Diverted(std::sync::Arc<super::tests::Diversion>),
}

impl Dialler {
    /// The first of the addresses that takes the connection, each in its share of the time.
    pub(super) async fn dial(
        &self,
        target: &Target,
        addresses: &[SocketAddr],
        time: Duration,
    ) -> Result<TcpStream, Error> {
        let addresses = &addresses[..addresses.len().min(MAX_DIALLED)];
        let share = time / u32::try_from(addresses.len()).map_or(1, |count| count.max(1));
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match timeout(share, self.connect(*address)).await {
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

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        match self {
            Self::Tcp => TcpStream::connect(address).await,
            #[cfg(test)]
            Self::Diverted(diversion) => TcpStream::connect(diversion.of(address)).await,
        }
    }
}
