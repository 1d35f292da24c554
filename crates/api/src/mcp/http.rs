//! `/mcp`: the streamable HTTP transport, without sessions. It only reads, and refuses requests of web pages that nobody allowed: a page
//! must not reach a server on the machine of its visitor (DNS rebinding).

use std::{net::SocketAddr, sync::Arc};

use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use url::{Host, Url};

use super::McpServer;
use crate::Catalog;

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
    /// This machine, and the address if it is a certain one.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts = vec![
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "[::1]".to_owned(),
        ];
        let ip = address.ip();
        let own = match ip {
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        if !ip.is_unspecified() && !hosts.contains(&own) {
            hosts.push(own);
        }
        let origins = hosts.iter().map(|host| format!("http://{host}:{port}"));
        Self {
            origins: origins.collect(),
            hosts,
        }
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

impl Default for McpAccess {
    fn default() -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)))
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
