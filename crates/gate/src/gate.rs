//! A gate: configuration that was validated, ready to decide on requests.

use std::{sync::Arc, time::Duration};

use alloy_primitives::B256;
use atr_auth::{Credential, Source};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Request, Response,
    header::{
        ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, UPGRADE,
    },
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
    request_headers::{self, PAYMENT_HEADERS},
    schemas::{check_charset, is_json},
    usage::Proof,
};

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
    pub(crate) async fn handle<E: Send + 'static>(
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
        let response = if self.config.is_paid() {
            let result = self.serve_paid(admitted, call).await?;
            let code = result.as_ref().map_or_else(Rejection::code, |_| "admitted");
            self.metrics.late_decision(code);
            result
        } else {
            self.metrics.decision("admitted", started.elapsed());
            let reported = self.config.usage.is_some();
            let credential = reported.then(|| admitted.signer.credential.clone());
            let response = call(self.prepare(admitted)).await?;
            let response = self.validate_output(response).await;
            if let (Ok(response), Some(Credential::Payment(payment))) = (&response, &credential)
                && response.status().as_u16() < 400
            {
                let proof = Proof::Authorization {
                    fields: payment.fields(),
                    chain_id: payment.network().chain_id(),
                };
                self.report(started.elapsed(), proof).await;
            }
            response
        };
        Ok(match response {
            Ok(mut response) => {
                forbid_shared_caches(response.headers_mut());
                response
            }
            Err(rejection) => {
                let (tool, code) = (&self.config.tool, rejection.code());
                // Callers must not be able to fill the log.
                if rejection.status().is_server_error() {
                    tracing::warn!(%tool, code, "response withheld");
                } else {
                    tracing::debug!(%tool, code, "response withheld");
                }
                reject(&rejection)
            }
        })
    }

    /// Reports a call, if that is configured.
    pub(crate) async fn report(&self, latency: Duration, proof: Proof<'_>) {
        if let Some(usage) = &self.config.usage {
            let outcome = usage.report(self.config.tool, latency, proof).await;
            self.metrics.usage_report(outcome);
        }
    }

    pub(crate) fn metrics(&self) -> &ToolMetrics {
        &self.metrics
    }

    /// Everything before the handler.
    async fn admit(
        &self,
        parts: Parts,
        request_body: Body,
        now: u64,
    ) -> Result<Admitted, Rejection> {
        let is_paid = self.config.is_paid();
        if is_paid && parts.headers.contains_key(UPGRADE) {
            let message = "a connection of unlimited length cannot be paid for per call";
            return Err(Rejection::bad_request("upgrade_not_supported", message));
        }
        let client = parts.extensions.get::<ClientAddress>().copied();
        let signer = self.authenticate(&parts.headers, client, now).await?;
        let context = self.authorize(&signer, &parts.headers, now).await?;
        let is_validated = self.config.schemas.validates_input(&parts.method);
        // The hash of the body distinguishes a repeated request from another one.
        let body = if is_validated || is_paid {
            let content = self.read_request(request_body).await?;
            if is_validated {
                check_charset(&parts.headers)?;
                self.config.schemas.check_input(&content).await?;
            }
            RequestBody::Read(content)
        } else {
            RequestBody::Stream(request_body)
        };
        if !is_paid {
            self.use_identity(&signer, now)?;
        }
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
    pub(crate) fn prepare(&self, admitted: Admitted) -> Request<Body> {
        let Admitted {
            signer,
            context,
            mut parts,
            body,
        } = admitted;
        let headers = &mut parts.headers;
        remove_reserved(headers);
        request_headers::remove_method_overrides(headers);
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
        let is_validated = self.config.schemas.output.is_some()
            && response.status().is_success()
            && is_json(response.headers());
        if !is_validated {
            return Ok(response);
        }
        let (mut parts, response_body) = response.into_parts();
        let content = self.read_response(response_body).await?;
        self.check_output(&parts.headers, &content).await?;
        parts
            .headers
            .insert(CONTENT_LENGTH, HeaderValue::from(content.len()));
        Ok(Response::from_parts(parts, full(content)))
    }

    /// Validates a JSON response that was read.
    pub(crate) async fn check_output(
        &self,
        headers: &HeaderMap,
        content: &Bytes,
    ) -> Result<(), Rejection> {
        if headers.contains_key(CONTENT_ENCODING) {
            let message = "the response of the tool is compressed and cannot be validated";
            return Err(Rejection::bad_gateway("compressed_output", message));
        }
        self.config.schemas.check_output(content).await
    }

    /// Tells the handler which transaction paid.
    pub(crate) fn set_transaction(&self, request: &mut Request<Body>, transaction: Option<B256>) {
        let Some(context) = request.extensions_mut().get_mut::<GateContext>() else {
            return;
        };
        if let Some(payment) = &mut context.payment {
            payment.transaction = transaction;
        }
        let context = context.clone();
        context.set_headers(request.headers_mut());
    }

    pub(crate) async fn read_response(&self, response_body: Body) -> Result<Bytes, Rejection> {
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
