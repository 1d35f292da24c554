//! HTTP client for configured URLs: an RPC node, an explorer, a payment facilitator.
//!
//! Configured URLs may use any address, loopback and private networks included. Redirects are not followed, proxies from the
//! environment are ignored, and time and size are limited.

use std::sync::OnceLock;

use reqwest::{
    Client, ClientBuilder, RequestBuilder,
    header::{self, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use url::Url;

use crate::{Error, Limits, Response};

/// User agent of both clients.
pub(crate) const USER_AGENT: &str = concat!("atr/", env!("CARGO_PKG_VERSION"));

/// HTTP client for URLs the operator configured.
#[derive(Clone, Debug)]
pub struct HttpClient {
    plain: Client,
    /// Created on first use, so that http works on a machine without root certificates.
    secure: OnceLock<Client>,
    /// Added to every request. Values are marked as sensitive.
    headers: HeaderMap,
    limits: Limits,
}

impl HttpClient {
    /// Creates a client. Connections are pooled.
    ///
    /// # Errors
    ///
    /// If the HTTP library cannot be set up on this machine.
    pub fn try_new(limits: Limits) -> Result<Self, Error> {
        // Fails only if the process has installed a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = builder(limits).tls_certs_only([]).build();
        Ok(Self {
            plain: plain.map_err(setup_error)?,
            secure: OnceLock::new(),
            headers: HeaderMap::new(),
            limits,
        })
    }

    /// Adds headers to every request, for example API keys.
    ///
    /// # Errors
    ///
    /// If a header is malformed.
    pub fn with_headers(mut self, headers: &[(String, String)]) -> Result<Self, Error> {
        for (name, value) in headers {
            let invalid = || Error::Header {
                name: atr_ids::excerpt(name),
            };
            let parsed: HeaderName = name.parse().map_err(|_| invalid())?;
            let mut value: HeaderValue = value.parse().map_err(|_| invalid())?;
            value.set_sensitive(true);
            self.headers.append(parsed, value);
        }
        Ok(self)
    }

    /// Selects the client for a scheme. Only https needs the system's root certificates.
    fn client(&self, url: &Url) -> Result<&Client, Error> {
        match url.scheme() {
            "http" => Ok(&self.plain),
            "https" => {
                if let Some(client) = self.secure.get() {
                    return Ok(client);
                }
                let client = builder(self.limits).build();
                let client = client.map_err(setup_error)?;
                Ok(self.secure.get_or_init(|| client))
            }
            other => Err(Error::Scheme {
                found: other.to_owned(),
            }),
        }
    }

    /// Sends a GET request.
    ///
    /// # Errors
    ///
    /// If no complete response arrives within the limits.
    pub async fn get(&self, url: &Url) -> Result<Response, Error> {
        self.send(url, self.client(url)?.get(url.clone())).await
    }

    /// Sends a POST request.
    ///
    /// # Errors
    ///
    /// If no complete response arrives within the limits.
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
        self.send(url, request).await
    }

    async fn send(&self, url: &Url, request: RequestBuilder) -> Result<Response, Error> {
        let to_error = |error: reqwest::Error| {
            if error.is_timeout() {
                return Error::TimedOut {
                    seconds: self.limits.timeout.as_secs(),
                };
            }
            Error::Unreachable {
                host: host_of(url),
                source: error.without_url().into(),
            }
        };
        let request = request.headers(self.headers.clone());
        let mut response = request.send().await.map_err(to_error)?;
        let headers = std::mem::take(response.headers_mut());
        let mut body = Vec::new();
        // Counted while reading: `content-length` is not trusted.
        while let Some(chunk) = response.chunk().await.map_err(to_error)? {
            if body.len() + chunk.len() > self.limits.max_body_bytes {
                return Err(Error::TooLarge {
                    limit: self.limits.max_body_bytes,
                });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Response {
            status: response.status().as_u16(),
            headers,
            body,
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that creates a client"
)]
fn builder(limits: Limits) -> ClientBuilder {
    Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .timeout(limits.timeout)
        .user_agent(USER_AGENT)
}

fn setup_error(error: reqwest::Error) -> Error {
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
