//! A gate: configuration that was validated, ready to decide on requests.

use std::sync::Arc;

use atr_auth::{Credential, Source};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response,
    header::{ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH},
    request::Parts,
};
use tokio::time::Instant;

use crate::{
    Body, ClientAddress, ConfigError, GateConfig, GateContext, Rejection,
    body::{self, ReadError, full},
    challenge::{self, BareChallenge},
    context::remove_reserved,
    decision::Signer,
    layer::Handler,
    metrics::ToolMetrics,
    schemas::is_json,
};

/// Payment headers of both versions of x402.
const PAYMENT_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-payment"),
    HeaderName::from_static("payment-signature"),
];

/// Decides on requests for one tool.
#[derive(Debug)]
pub struct Gate {
    config: GateConfig,
    bare: BareChallenge,
    metrics: Arc<ToolMetrics>,
    /// Host and port of the public URL.
    public_host: Option<String>,
}

/// A request that may be passed to the handler.
pub(crate) struct Admitted {
    pub(crate) signer: Signer,
    pub(crate) context: GateContext,
    pub(crate) parts: Parts,
    pub(crate) body: RequestBody,
}

/// The body of an admitted request.
pub(crate) enum RequestBody {
    Stream(Body),
    Read(Bytes),
}

impl Gate {
    /// Validates a configuration. Sends nothing.
    ///
    /// # Errors
    ///
    /// If the parts do not fit together, or the gate would admit callers without a check.
    pub fn new(config: GateConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        if let Some(access) = &config.access {
            config.metrics.add_access(access);
        }
        let public_host = config.public_url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            Some(match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            })
        });
        Ok(Self {
            metrics: config.metrics.tool(config.tool.to_string()),
            bare: BareChallenge::default(),
            public_host,
            config,
        })
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &GateConfig {
        &self.config
    }

    pub(crate) fn public_host(&self) -> Option<&str> {
        self.public_host.as_deref()
    }

    /// Handles a request: decides, calls the handler if the request is admitted, and checks the answer.
    pub(crate) async fn handle<E>(
        self: Arc<Self>,
        request: Request<Body>,
        call: Handler<E>,
    ) -> Result<Response<Body>, E> {
        let started = Instant::now();
        let (parts, request_body) = request.into_parts();
        let (uri, headers) = (parts.uri.clone(), parts.headers.clone());
        let reject = |rejection: &Rejection| {
            challenge::response(&self.config, &self.bare, rejection, &uri, &headers)
        };
        let now = self.config.clock.now();
        let admitted = match self.admit(parts, request_body, now).await {
            Ok(admitted) => admitted,
            Err(rejection) => {
                self.metrics.decision(rejection.code(), started.elapsed());
                tracing::debug!(tool = %self.config.tool, code = rejection.code(), "request rejected");
                return Ok(reject(&rejection));
            }
        };
        self.metrics.decision("admitted", started.elapsed());
        let request = self.prepare(admitted);
        let is_validated = self.config.schemas.output.is_some();
        let response = call(request).await?;
        let response = if is_validated {
            self.validate_output(response).await
        } else {
            Ok(response)
        };
        Ok(match response {
            Ok(mut response) => {
                forbid_shared_caches(response.headers_mut());
                response
            }
            Err(rejection) => {
                tracing::warn!(tool = %self.config.tool, code = rejection.code(), "output rejected");
                reject(&rejection)
            }
        })
    }

    /// Everything before the handler.
    async fn admit(
        &self,
        parts: Parts,
        request_body: Body,
        now: u64,
    ) -> Result<Admitted, Rejection> {
        let client = parts.extensions.get::<ClientAddress>().copied();
        let signer = self.authenticate(&parts.headers, client, now)?;
        let context = self.authorize(&signer, &parts.headers, now).await?;
        let body = if self.config.schemas.validates_input(&parts.method) {
            let content = self.read_request(request_body).await?;
            self.config.schemas.check_input(&content).await?;
            RequestBody::Read(content)
        } else {
            RequestBody::Stream(request_body)
        };
        self.use_identity(&signer, now)?;
        Ok(Admitted {
            signer,
            context,
            parts,
            body,
        })
    }

    async fn read_request(&self, request_body: Body) -> Result<Bytes, Rejection> {
        let limit = self.config.limits.max_request_bytes;
        let read = body::read(request_body, limit).await;
        read.map_err(|error| match error {
            ReadError::TooLarge => Rejection::body_too_large(limit),
            ReadError::Incomplete => {
                Rejection::bad_request("incomplete_body", "the request body is incomplete")
            }
        })
    }

    /// The request as the handler sees it: without credentials, with the context.
    fn prepare(&self, admitted: Admitted) -> Request<Body> {
        let Admitted {
            signer,
            context,
            mut parts,
            body,
        } = admitted;
        let headers = &mut parts.headers;
        remove_reserved(headers);
        if !signer.is_for_following_gate {
            for name in PAYMENT_HEADERS {
                headers.remove(name);
            }
            let is_authorization = match &signer.credential {
                Credential::Payment(payment) => payment.source() == Source::Eip3009,
                Credential::Siwe(_) => true,
            };
            if is_authorization {
                headers.remove(AUTHORIZATION);
            }
        }
        if self.config.schemas.output.is_some() {
            // A compressed response could not be validated.
            headers.remove(ACCEPT_ENCODING);
        }
        context.set_headers(headers);
        parts.extensions.insert(context);
        let body = match body {
            RequestBody::Stream(body) => body,
            RequestBody::Read(content) => full(content),
        };
        Request::from_parts(parts, body)
    }

    /// Reads and validates a successful JSON response. Other responses pass.
    async fn validate_output(&self, response: Response<Body>) -> Result<Response<Body>, Rejection> {
        if !response.status().is_success() || !is_json(response.headers()) {
            return Ok(response);
        }
        let (mut parts, response_body) = response.into_parts();
        let content = self.read_response(&parts.headers, response_body).await?;
        self.config.schemas.check_output(&content).await?;
        parts
            .headers
            .insert(CONTENT_LENGTH, HeaderValue::from(content.len()));
        Ok(Response::from_parts(parts, full(content)))
    }

    pub(crate) async fn read_response(
        &self,
        headers: &HeaderMap,
        response_body: Body,
    ) -> Result<Bytes, Rejection> {
        if headers.contains_key(CONTENT_ENCODING) {
            let message = "the response of the tool is compressed and cannot be validated";
            return Err(Rejection::bad_gateway("compressed_output", message));
        }
        let limit = self.config.limits.max_response_bytes;
        let read = body::read(response_body, limit).await;
        read.map_err(|error| match error {
            ReadError::TooLarge => {
                let message = format!("the response of the tool is larger than {limit} bytes");
                Rejection::bad_gateway("output_too_large", message)
            }
            ReadError::Incomplete => Rejection::bad_gateway(
                "incomplete_output",
                "the response of the tool is incomplete",
            ),
        })
    }
}

/// A cache in front of the gate would serve the answer to others: it does not know the credential headers.
fn forbid_shared_caches(headers: &mut HeaderMap) {
    let is_private = headers.get_all(CACHE_CONTROL).iter().any(|value| {
        let value = value.as_bytes().to_ascii_lowercase();
        let contains = |word: &[u8]| value.windows(word.len()).any(|part| part == word);
        contains(b"private") || contains(b"no-store")
    });
    if !is_private {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
}
