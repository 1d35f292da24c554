//! The door for URLs a stranger chose: manifests, endpoints.
//!
//! A stranger may point it anywhere, so where it goes is looked at first: names are resolved once, every address must be public,
//! and the connection is made to one of the addresses that were looked at, never to the name. No redirect is followed, no proxy
//! is used, and time and bytes are capped from the first question to the last byte.

mod dial;
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
    dial::Dialler,
    exchange::{Answer, Ask},
    resolve::Names,
    target::Target,
    tls::Trust,
};
use crate::{AllowedHosts, Error, Limits, Response, exceptions::AllowedHost, forbidden_range};

/// Headers that say how the message is framed, who asks or what may come back: the door's own to say. So is every condition
/// (`if-…`).
const OURS: [&str; 12] = [
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

/// Asks URLs a stranger chose. A clone shares what was read of the system's certificates; nothing else is kept from one request
/// to the next, no name and no connection.
#[derive(Clone, Debug)]
pub struct SafeHttpClient {
    limits: Limits,
    allowed: Vec<AllowedHost>,
    names: Names,
    dialler: Dialler,
    trust: Arc<Trust>,
}

impl SafeHttpClient {
    /// Opens the door.
    ///
    /// # Errors
    ///
    /// When the exceptions bring root certificates that cannot be read.
    pub fn try_new(limits: Limits, exceptions: AllowedHosts) -> Result<Self, Error> {
        Ok(Self {
            limits,
            trust: Arc::new(Trust::try_new(&exceptions.roots)?),
            allowed: exceptions.hosts,
            names: Names::default(),
            dialler: Dialler::default(),
        })
    }

    /// Asks this name server instead of the system's; the system's file of hosts is not read then.
    #[must_use]
    pub const fn with_name_server(mut self, server: SocketAddr) -> Self {
        self.names = Names::Server(server);
        self
    }

    /// A whole document. Only status 200 with a complete body counts (T-36).
    ///
    /// # Errors
    ///
    /// When the URL leads to a place that is not public, or no whole document arrives within the limits.
    pub async fn document(&self, url: &HttpsUrl) -> Result<Vec<u8>, Error> {
        let target = Target::try_new(url)?;
        let answer = self.ask(&target, &Ask::Get, refuse_all_but_200).await?;
        Ok(answer.body)
    }

    /// An invocation: sends a body and returns the answer, whatever its status says.
    ///
    /// # Errors
    ///
    /// When the URL leads to a place that is not public, the answer is a redirect, or none arrives whole within the limits.
    pub async fn post(
        &self,
        url: &HttpsUrl,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<Response, Error> {
        let target = Target::try_new(url)?;
        let headers = checked(headers)?;
        let ask = Ask::Post {
            headers,
            body: body.into(),
        };
        let answer = self.ask(&target, &ask, refuse_redirects).await?;
        Ok(Response {
            status: answer.status.as_u16(),
            body: answer.body,
        })
    }

    async fn ask(
        &self,
        target: &Target,
        ask: &Ask,
        refuse: fn(StatusCode, &HeaderMap) -> Result<(), Error>,
    ) -> Result<Answer, Error> {
        let whole = async {
            let addresses = self.checked_addresses(target).await?;
            let dialled = self.dialler.dial(target, &addresses, self.limits.time);
            let stream = dialled.await?;
            let is_allowed = self.is_allowed(target);
            let stream = self.trust.handshake(target, stream, is_allowed).await?;
            exchange::run(target, ask, stream, self.limits.bytes, refuse).await
        };
        // One clock for everything: a server that drips cannot start it anew.
        let late = |_| Error::TimedOut {
            seconds: self.limits.time.as_secs(),
        };
        tokio::time::timeout(self.limits.time, whole)
            .await
            .map_err(late)?
    }

    /// Where the connection may go. One address that is not public refuses them all: who answers so for a name means harm, or
    /// will answer otherwise the next time.
    async fn checked_addresses(&self, target: &Target) -> Result<Vec<SocketAddr>, Error> {
        let addresses = self.names.addresses(target).await?;
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
        allowed.any(|host| host.is(&target.host, target.port))
    }
}

fn refuse_redirects(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    if status.is_redirection() {
        let location = headers.get(LOCATION);
        let location = location.map(|value| excerpt(&String::from_utf8_lossy(value.as_bytes())));
        return Err(Error::Redirect {
            status: status.as_u16(),
            location,
        });
    }
    // Not final: an upgrade nobody asked for.
    if status.is_informational() {
        return Err(Error::Status {
            status: status.as_u16(),
        });
    }
    Ok(())
}

fn refuse_all_but_200(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    refuse_redirects(status, headers)?;
    if status != StatusCode::OK {
        return Err(Error::Status {
            status: status.as_u16(),
        });
    }
    Ok(())
}

fn checked(headers: &[(&str, &str)]) -> Result<HeaderMap, Error> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let refused = || Error::Header {
            name: excerpt(name),
        };
        let name: HeaderName = name.parse().map_err(|_| refused())?;
        if OURS.contains(&name.as_str()) || name.as_str().starts_with("if-") {
            return Err(refused());
        }
        let value: HeaderValue = value.parse().map_err(|_| refused())?;
        map.append(name, value);
    }
    Ok(map)
}
