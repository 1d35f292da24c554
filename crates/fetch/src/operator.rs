//! The door for URLs the operator chose: a node, an explorer, a payment facilitator.
//!
//! The operator may point it anywhere, loopback and private networks included. What is refused is what the operator did
//! not choose: a redirect to somewhere else, a proxy from the environment, an answer without end.

use std::sync::OnceLock;

use reqwest::{Client, ClientBuilder, RequestBuilder, header, redirect};
use url::Url;

use crate::{Error, Limits, Response};

/// Who asks, at either door.
pub(crate) const USER_AGENT: &str = concat!("atr/", env!("CARGO_PKG_VERSION"));

/// Asks URLs the operator chose.
#[derive(Clone, Debug)]
pub struct HttpClient {
    plain: Client,
    /// Made when first needed: a machine without certificates can still reach its own node.
    secure: OnceLock<Client>,
    limits: Limits,
}

impl HttpClient {
    /// Opens the door; connections are kept and used again.
    ///
    /// # Errors
    ///
    /// When no client can be made on this machine.
    pub fn try_new(limits: Limits) -> Result<Self, Error> {
        // Refused only when the process has chosen one already, which is then as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = builder(limits).tls_certs_only([]).build();
        Ok(Self {
            plain: plain.map_err(setup)?,
            secure: OnceLock::new(),
            limits,
        })
    }

    /// The client for a URL, with the system's certificates if it needs any.
    fn client(&self, url: &Url) -> Result<&Client, Error> {
        match url.scheme() {
            "http" => Ok(&self.plain),
            "https" => {
                if let Some(client) = self.secure.get() {
                    return Ok(client);
                }
                let client = builder(self.limits).build();
                let client = client.map_err(setup)?;
                Ok(self.secure.get_or_init(|| client))
            }
            other => Err(Error::Scheme {
                found: other.to_owned(),
            }),
        }
    }

    /// Asks for what is at a URL.
    ///
    /// # Errors
    ///
    /// When no whole answer arrives within the limits.
    pub async fn get(&self, url: &Url) -> Result<Response, Error> {
        self.ask(url, self.client(url)?.get(url.clone())).await
    }

    /// Sends a body to a URL.
    ///
    /// # Errors
    ///
    /// When no whole answer arrives within the limits.
    pub async fn post(
        &self,
        url: &Url,
        content_type: &'static str,
        body: Vec<u8>,
    ) -> Result<Response, Error> {
        let request = self
            .client(url)?
            .post(url.clone())
            .header(header::CONTENT_TYPE, content_type)
            .body(body);
        self.ask(url, request).await
    }

    async fn ask(&self, url: &Url, request: RequestBuilder) -> Result<Response, Error> {
        let refused = |error: reqwest::Error| {
            if error.is_timeout() {
                return Error::TimedOut {
                    seconds: self.limits.time.as_secs(),
                };
            }
            Error::Unreachable {
                host: host_of(url),
                source: error.without_url().into(),
            }
        };
        let mut answer = request.send().await.map_err(refused)?;
        let mut body = Vec::new();
        // Counted as it arrives: a length the other side announces proves nothing.
        while let Some(chunk) = answer.chunk().await.map_err(refused)? {
            if body.len() + chunk.len() > self.limits.bytes {
                return Err(Error::TooLarge {
                    limit: self.limits.bytes,
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response {
            status: answer.status().as_u16(),
            body,
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the door the ban points at"
)]
fn builder(limits: Limits) -> ClientBuilder {
    Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .timeout(limits.time)
        .user_agent(USER_AGENT)
}

fn setup(error: reqwest::Error) -> Error {
    Error::Setup {
        source: error.into(),
    }
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
