//! Client of payment facilitators.

use std::{error::Error as StdError, fmt, io, sync::OnceLock, time::Duration};

use atr_auth::{
    Network, Offers,
    x402::{
        Version,
        facilitator::{FacilitatorRequest, SettleResponse, Supported, VerifyResponse},
    },
};
use atr_fetch::{Error as FetchError, HttpClient, Limits, Response};
use url::Url;

use crate::breaker::Breaker;

/// Time for `/verify`.
pub const VERIFY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for `/settle`: several blocks of the slowest chain.
pub const SETTLE_TIMEOUT: Duration = Duration::from_secs(90);

/// Size of an answer.
const MAX_BYTES: usize = 64 * 1024;

/// A facilitator and how to reach it.
#[derive(Clone)]
pub struct FacilitatorConfig {
    /// Base URL: `/verify`, `/settle` and `/supported` are below it.
    pub url: Url,
    /// Sent with every request, for example an API key. Never logged.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for FacilitatorConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str();
        f.debug_struct("FacilitatorConfig")
            .field("host", &host)
            .finish_non_exhaustive()
    }
}

/// Facilitators in the order they are tried.
#[derive(Debug)]
pub struct Facilitators {
    all: Vec<Facilitator>,
}

#[derive(Debug)]
struct Facilitator {
    url: Url,
    /// Host and port, for messages.
    host: String,
    quick: HttpClient,
    slow: HttpClient,
    breaker: Breaker,
    supported: OnceLock<Supported>,
}

/// Why a facilitator cannot be used for an offer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum FacilitatorProblem {
    /// It did not answer `/supported`.
    #[error("facilitator {host} does not respond: {reason}")]
    Unavailable { host: String, reason: String },
    /// It settles no exact payments on this network.
    #[error("facilitator {host} does not settle payments on {network}")]
    Unsupported { host: String, network: Network },
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FacilitatorError {
    /// The request had no effect: it was not sent, or it was refused.
    #[error("{0}")]
    NoEffect(String),
    /// The request may have had an effect.
    #[error("{0}")]
    Ambiguous(String),
}

impl Facilitators {
    /// At least one facilitator, tried in this order.
    ///
    /// # Errors
    ///
    /// If a header is invalid or the HTTP library cannot be set up.
    pub fn new(
        configs: Vec<FacilitatorConfig>,
        settle_timeout: Duration,
    ) -> Result<Self, FetchError> {
        let client = |config: &FacilitatorConfig, timeout| {
            let limits = Limits {
                timeout,
                max_body_bytes: MAX_BYTES,
            };
            HttpClient::try_new(limits)?.with_headers(&config.headers)
        };
        let all = configs.into_iter().map(|config| {
            let host = config.url.host_str().unwrap_or_default();
            let port = config.url.port();
            Ok(Facilitator {
                host: port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
                quick: client(&config, VERIFY_TIMEOUT)?,
                slow: client(&config, settle_timeout)?,
                url: config.url,
                breaker: Breaker::new(5, Duration::from_secs(5)),
                supported: OnceLock::new(),
            })
        });
        Ok(Self {
            all: all.collect::<Result<_, _>>()?,
        })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Asks every facilitator what it supports. Later requests speak a version that it supports.
    pub async fn check(&self, offers: &Offers) -> Vec<FacilitatorProblem> {
        let mut problems = Vec::new();
        for facilitator in &self.all {
            let supported = match facilitator.read_supported().await {
                Ok(supported) => supported,
                Err(reason) => {
                    problems.push(FacilitatorProblem::Unavailable {
                        host: facilitator.host.clone(),
                        reason,
                    });
                    continue;
                }
            };
            let is_supported = |network: &Network| {
                let versions = [Version::V1, Version::V2];
                versions
                    .into_iter()
                    .any(|version| supported.supports(version, *network))
            };
            let mut networks: Vec<_> = offers.iter().map(|offer| offer.network()).collect();
            networks.dedup();
            let unsupported = networks.into_iter().filter(|it| !is_supported(it));
            problems.extend(unsupported.map(|network| FacilitatorProblem::Unsupported {
                host: facilitator.host.clone(),
                network,
            }));
            let _ = facilitator.supported.set(supported);
        }
        problems
    }

    /// Whether any facilitator is expected to answer.
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.all.iter().any(|it| !it.breaker.is_open())
    }

    /// Verifies a payment with the first facilitator that answers.
    pub(crate) async fn verify(
        &self,
        network: Network,
        preferred: Version,
        request: impl Fn(Version) -> Option<FacilitatorRequest>,
    ) -> Result<VerifyResponse, FacilitatorError> {
        let mut last = no_facilitator();
        for facilitator in &self.all {
            let version = facilitator.version(network, preferred);
            let Some(request) = request(version) else {
                continue;
            };
            let answer = facilitator
                .post(&facilitator.quick, "verify", &request)
                .await;
            let answer = answer.and_then(|response| {
                VerifyResponse::decode(&response.body).map_err(|_| unexpected(&response))
            });
            match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    tracing::warn!(host = %facilitator.host, %error, "a facilitator did not verify");
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// Settles a payment. Another facilitator is tried only if the request to the first had no effect.
    pub(crate) async fn settle(
        &self,
        network: Network,
        preferred: Version,
        request: impl Fn(Version) -> Option<FacilitatorRequest>,
    ) -> Result<SettleResponse, FacilitatorError> {
        let mut last = no_facilitator();
        for facilitator in &self.all {
            let version = facilitator.version(network, preferred);
            let Some(request) = request(version) else {
                continue;
            };
            let answer = facilitator
                .post(&facilitator.slow, "settle", &request)
                .await;
            let answer = answer.and_then(|response| {
                SettleResponse::decode(&response.body).map_err(|_| unexpected(&response))
            });
            match answer {
                Err(error @ FacilitatorError::NoEffect(_)) => {
                    tracing::warn!(host = %facilitator.host, %error, "a facilitator did not settle");
                    last = error;
                }
                other => return other,
            }
        }
        Err(last)
    }
}

fn no_facilitator() -> FacilitatorError {
    FacilitatorError::NoEffect("no facilitator can be asked".to_owned())
}

/// An answer without the expected content. Some facilitators answer with an error status and the expected content.
fn unexpected(response: &Response) -> FacilitatorError {
    let text = format!("the facilitator answered with status {}", response.status);
    match response.status {
        400..500 => FacilitatorError::NoEffect(text),
        _ => FacilitatorError::Ambiguous(text),
    }
}

impl Facilitator {
    async fn read_supported(&self) -> Result<Supported, String> {
        let response = self.quick.get(&self.endpoint("supported")).await;
        let response = response.map_err(|error| error.to_string())?;
        Supported::decode(&response.body)
            .map_err(|_| format!("unexpected answer with status {}", response.status))
    }

    /// The version to speak: the caller's, unless the facilitator supports only the other.
    fn version(&self, network: Network, preferred: Version) -> Version {
        let other = match preferred {
            Version::V1 => Version::V2,
            Version::V2 => Version::V1,
        };
        let supports = |version| {
            let supported = self.supported.get();
            supported.is_some_and(|supported| supported.supports(version, network))
        };
        if supports(other) && !supports(preferred) {
            other
        } else {
            preferred
        }
    }

    fn endpoint(&self, name: &str) -> Url {
        let mut url = self.url.clone();
        let path = format!("{}/{name}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url
    }

    async fn post(
        &self,
        client: &HttpClient,
        name: &str,
        request: &FacilitatorRequest,
    ) -> Result<Response, FacilitatorError> {
        if !self.breaker.allows() {
            let text = "the facilitator failed several times in a row".to_owned();
            return Err(FacilitatorError::NoEffect(text));
        }
        let body = serde_json::to_vec(request)
            .map_err(|error| FacilitatorError::NoEffect(error.to_string()))?;
        let url = self.endpoint(name);
        let result = client.post(&url, "application/json", body).await;
        let result = result.map_err(|error| {
            let text = error.to_string();
            if is_refused(&error) {
                FacilitatorError::NoEffect(text)
            } else {
                FacilitatorError::Ambiguous(text)
            }
        });
        let is_working = |response: &Response| response.status != 429 && response.status < 500;
        self.breaker.record(result.as_ref().is_ok_and(is_working));
        result
    }
}

/// Whether no connection was made.
fn is_refused(error: &(dyn StdError + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        || error.source().is_some_and(is_refused)
}
