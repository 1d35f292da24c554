//! A server that writes whatever its script says.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use rustls::{ServerConnection, StreamOwned};

use crate::{Identity, Wire, acceptor::Acceptor};

/// Longer than any test waits: a thread of a script must not outlive its test for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Hands every connection to a script: slow drips, lying lengths, silence, anything.
#[derive(Debug)]
pub struct HostileServer {
    acceptor: Acceptor,
}

impl HostileServer {
    /// Misbehaves after the handshake. A client that breaks the handshake off never meets the script.
    pub fn over_tls(
        identity: &Identity,
        script: impl Fn(&mut dyn Wire) + Send + Sync + 'static,
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

    /// Misbehaves from the first byte, before any TLS.
    pub fn over_tcp(script: impl Fn(&mut dyn Wire) + Send + Sync + 'static) -> Self {
        Self::start(move |mut stream| script(&mut stream))
    }

    fn start(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            acceptor: Acceptor::start(anywhere, move |stream| {
                let _ = stream.set_read_timeout(Some(PATIENCE));
                let _ = stream.set_write_timeout(Some(PATIENCE));
                handle(stream);
            }),
        }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// `https://localhost:<port>`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("https://localhost:{}", self.address().port())
    }

    /// How many connections were made to it, handshake or not.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.acceptor.connections()
    }
}
