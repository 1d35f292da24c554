//! `/mcp`: the streamable HTTP transport, without sessions. It only reads, and refuses requests of web pages that nobody allowed: a page
//! must not reach a server on the machine of its visitor (DNS rebinding).

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use url::{Host, Url};

use super::McpServer;
use crate::Catalog;

/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Largest request.
const MAX_BODY: usize = 64 * 1024;

/// From where `/mcp` is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpAccess {
    /// Values of `Host`: a host for any port, or a host and port.
    hosts: Vec<String>,
    /// Values of `Origin`, with a port. Requests without `Origin` do not come from web pages.
    origins: Vec<String>,
}

impl McpAccess {
    /// Also the address at which the server listens, if it is a certain one, and pages of this machine that it serves.
    #[must_use]
    pub fn with_address(mut self, address: SocketAddr) -> Self {
        let host = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let mut own = LOOPBACK.map(str::to_owned).to_vec();
        if !address.ip().is_unspecified() && !own.contains(&host) {
            self.hosts.push(host.clone());
            own.push(host);
        }
        let port = address.port();
        let origins = own.iter().map(|host| format!("http://{host}:{port}"));
        self.origins.extend(origins);
        self
    }

    /// Also the URL at which clients reach the server, such as that of a reverse proxy.
    #[must_use]
    pub fn with_public_url(mut self, url: &Url) -> Self {
        if let Some(host) = url.host() {
            self.hosts.push(host.to_string());
        }
        self.with_origin(url)
    }

    /// Also web pages of this origin.
    #[must_use]
    pub fn with_origin(mut self, url: &Url) -> Self {
        if let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) {
            let host: Host<&str> = host;
            // With a port: an origin without one would match any.
            self.origins
                .push(format!("{}://{host}:{port}", url.scheme()));
        }
        self
    }
}

/// This machine.
impl Default for McpAccess {
    fn default() -> Self {
        Self {
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
            origins: Vec::new(),
        }
    }
}

/// The service of `/mcp`.
pub(crate) fn service(
    catalog: Catalog,
    access: &McpAccess,
) -> StreamableHttpService<McpServer, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .with_allowed_hosts(&access.hosts)
        .with_allowed_origins(&access.origins)
        .enforce_origin_validation();
    let server = McpServer::public(Arc::new(catalog));
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}
