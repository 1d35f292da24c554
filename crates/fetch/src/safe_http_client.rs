//! HTTP client for untrusted URLs: manifests and endpoints.
//!
//! SSRF protection: the host is resolved once, every address must be public, and the connection goes to a checked address, never
//! to the name. Redirects are not followed, proxies are ignored, and time and size are limited for the whole request.

mod connect;
mod exchange;
mod resolve;
mod target;
#[cfg(test)]
mod tests;
mod tls;

use std::{net::SocketAddr, sync::Arc};

use atr_ids::{HttpsUrl, excerpt};
use hyper::{
    StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue, LOCATION},
};

use self::{
    connect::Connector,
    exchange::{Request, Response},
    resolve::DnsServers,
    target::Target,
    tls::RootCertificates,
};
use crate::{AllowedHost, AllowedHosts, Certificate, Error, Limits, forbidden_range};

/// Headers the client sets itself: framing, identification and content negotiation. Conditional headers (`if-…`) are reserved
/// too.
const RESERVED_HEADERS: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "range",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// HTTP client for untrusted URLs. Clones share the loaded root certificates. DNS responses and connections are not reused
/// between requests.
#[derive(Clone, Debug)]
pub struct SafeHttpClient {
    limits: Limits,
    allowed: Vec<AllowedHost>,
    dns: DnsServers,
    connector: Connector,
    root_certificates: Arc<RootCertificates>,
}

impl SafeHttpClient {
    /// Creates a client.
    ///
    /// # Errors
    ///
    /// If the additional root certificates cannot be parsed.
    pub fn try_new(limits: Limits, allowed: AllowedHosts) -> Result<Self, Error> {
        Ok(Self {
            limits,
            root_certificates: Arc::new(RootCertificates::try_new(&allowed.root_certificates)?),
            allowed: allowed.hosts,
            dns: DnsServers::default(),
            connector: Connector::default(),
        })
    }

    /// Uses other limits, for example a longer timeout for invocations.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Uses this name server instead of the system's. The system's hosts file is not read.
    #[must_use]
    pub const fn with_name_server(mut self, server: SocketAddr) -> Self {
        self.dns = DnsServers::Server(server);
        self
    }

    /// Fetches a document with a GET request. Only status 200 with a complete body is accepted (T-36).
    ///
    /// # Errors
    ///
    /// If the host resolves to an address that is not public, or no complete document arrives within the limits.
    pub async fn fetch_document(&self, url: &HttpsUrl) -> Result<Vec<u8>, Error> {
        Ok(self.fetch_document_with_certificate(url).await?.0)
    }

    /// Fetches a document, and says which certificate its server presented.
    ///
    /// # Errors
    ///
    /// As [`Self::fetch_document`].
    pub async fn fetch_document_with_certificate(
        &self,
        url: &HttpsUrl,
    ) -> Result<(Vec<u8>, Option<Certificate>), Error> {
        let target = Target::try_new(url)?;
        let response = self.send(&target, &Request::Get, require_200).await?;
        Ok((response.body, response.certificate))
    }

    /// The name servers of the zone that a URL's host is in, sorted, to notice a change (K-12). `None` for IP addresses, single
    /// labels and names without a zone below a top-level domain.
    ///
    /// # Errors
    ///
    /// If the name server does not answer within the limits.
    pub async fn name_servers(&self, url: &HttpsUrl) -> Result<Option<Vec<String>>, Error> {
        let target = Target::try_new(url)?;
        let timed_out = |_| Error::TimedOut {
            seconds: self.limits.timeout.as_secs(),
        };
        tokio::time::timeout(self.limits.timeout, self.dns.name_servers(&target))
            .await
            .map_err(timed_out)?
    }

    /// Sends a POST request, as for an invocation, and returns the response with any final status.
    ///
    /// # Errors
    ///
    /// If the host resolves to an address that is not public, the response is a redirect, or no complete response arrives
    /// within the limits.
    pub async fn post(
        &self,
        url: &HttpsUrl,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<crate::Response, Error> {
        let target = Target::try_new(url)?;
        let headers = check_headers(headers)?;
        let request = Request::Post {
            headers,
            body: body.into(),
        };
        let response = self.send(&target, &request, reject_redirects).await?;
        Ok(crate::Response {
            status: response.status.as_u16(),
            headers: response.headers,
            body: response.body,
        })
    }

    async fn send(
        &self,
        target: &Target,
        request: &Request,
        check_head: fn(StatusCode, &HeaderMap) -> Result<(), Error>,
    ) -> Result<Response, Error> {
        let exchange = async {
            let addresses = self.checked_addresses(target).await?;
            let connected = self
                .connector
                .connect(target, &addresses, self.limits.timeout);
            let stream = connected.await?;
            let is_allowed = self.is_allowed(target);
            let handshake = self.root_certificates.handshake(target, stream, is_allowed);
            let stream = handshake.await?;
            let limit = self.limits.max_body_bytes;
            exchange::run(target, request, stream, limit, check_head).await
        };
        // One timeout for the whole request: a server that sends single bytes cannot extend it.
        let timed_out = |_| Error::TimedOut {
            seconds: self.limits.timeout.as_secs(),
        };
        tokio::time::timeout(self.limits.timeout, exchange)
            .await
            .map_err(timed_out)?
    }

    /// Resolves the host and checks every address. A single address that is not public rejects the request, because it indicates
    /// DNS rebinding.
    async fn checked_addresses(&self, target: &Target) -> Result<Vec<SocketAddr>, Error> {
        let addresses = self.dns.resolve(target).await?;
        let mut checked = Vec::new();
        for address in addresses {
            let address = address.to_canonical();
            match forbidden_range(address) {
                Some(range) if !self.is_allowed(target) => {
                    return Err(Error::ForbiddenAddress {
                        host: target.to_string(),
                        address,
                        range,
                    });
                }
                _ => checked.push(SocketAddr::new(address, target.port)),
            }
        }
        Ok(checked)
    }

    fn is_allowed(&self, target: &Target) -> bool {
        let mut allowed = self.allowed.iter();
        allowed.any(|host| host.matches(&target.host, target.port))
    }
}

fn reject_redirects(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    if status.is_redirection() {
        let location = headers.get(LOCATION);
        let location = location.map(|value| excerpt(&String::from_utf8_lossy(value.as_bytes())));
        return Err(Error::Redirect {
            status: status.as_u16(),
            location,
        });
    }
    // 1xx is not a final status; the request did not ask for an upgrade.
    if status.is_informational() {
        return Err(Error::Status {
            status: status.as_u16(),
        });
    }
    Ok(())
}

fn require_200(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    reject_redirects(status, headers)?;
    if status != StatusCode::OK {
        return Err(Error::Status {
            status: status.as_u16(),
        });
    }
    Ok(())
}

fn check_headers(headers: &[(&str, &str)]) -> Result<HeaderMap, Error> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let invalid = || Error::Header {
            name: excerpt(name),
        };
        let name: HeaderName = name.parse().map_err(|_| invalid())?;
        if RESERVED_HEADERS.contains(&name.as_str()) || name.as_str().starts_with("if-") {
            return Err(invalid());
        }
        let value: HeaderValue = value.parse().map_err(|_| invalid())?;
        map.append(name, value);
    }
    Ok(map)
}
