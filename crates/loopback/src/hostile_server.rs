//! A server that writes arbitrary bytes.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use rustls::{ServerConnection, StreamOwned};

use crate::{Connection, Identity, acceptor::Acceptor};

/// Longer than any test waits; ends threads that a test left behind.
const IO_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs a script on every connection, to send slow, malformed or incomplete responses.
#[derive(Debug)]
pub struct HostileServer {
    acceptor: Acceptor,
}

impl HostileServer {
    /// Runs the script after the TLS handshake, if it succeeds.
    pub fn over_tls(
        identity: &Identity,
        script: impl Fn(&mut dyn Connection) + Send + Sync + 'static,
    ) -> Self {
        let config = identity.config();
        Self::start(move |stream| {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            let handshake = stream.conn.complete_io(&mut stream.sock);
            if handshake.is_ok() {
                script(&mut stream);
            }
        })
    }

    /// Runs the script on the plain TCP connection.
    pub fn over_tcp(script: impl Fn(&mut dyn Connection) + Send + Sync + 'static) -> Self {
        Self::start(move |mut stream| script(&mut stream))
    }

    fn start(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            acceptor: Acceptor::start(any_port, move |stream| {
                let _ = stream.set_read_timeout(Some(IO_TIMEOUT));
                let _ = stream.set_write_timeout(Some(IO_TIMEOUT));
                handle(stream);
            }),
        }
    }

    /// Listening address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// `https://localhost:<port>`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("https://localhost:{}", self.address().port())
    }

    /// Number of TCP connections, failed handshakes included.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.acceptor.connections()
    }
}
