//! Responses to rejected requests, with a challenge where the caller may try again.

use std::sync::OnceLock;

use atr_auth::{ChallengeResponse, Offers, PaymentHeader, x402::Resource};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE, HOST, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::Value;

use crate::{Body, GateConfig, Rejection, body::full};

/// Code of the challenge to a request without a credential.
pub(crate) const PAYMENT_REQUIRED: &str = "payment_required";

/// The challenge to a request without a credential, if it is the same for all requests.
#[derive(Debug, Default)]
pub(crate) struct BareChallenge(OnceLock<(Bytes, HeaderMap)>);

/// A request without a credential.
pub(crate) fn payment_required() -> Rejection {
    Rejection::challenge(
        PAYMENT_REQUIRED,
        "X-PAYMENT or PAYMENT-SIGNATURE header is required",
    )
}

/// What is paid for: the configured public URL, or what the request says about itself.
pub(crate) fn resource(config: &GateConfig, uri: &Uri, headers: &HeaderMap) -> Resource {
    let url = match &config.public_url {
        Some(url) => url.to_string(),
        None => request_url(uri, headers),
    };
    Resource {
        url,
        ..config.resource.clone()
    }
}

fn request_url(uri: &Uri, headers: &HeaderMap) -> String {
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = header(HOST).or_else(|| uri.authority().map(|authority| authority.as_str()));
    let forwarded = header(HeaderName::from_static("x-forwarded-proto"));
    let scheme = forwarded.or_else(|| uri.scheme_str());
    let scheme = scheme.filter(|scheme| matches!(*scheme, "http" | "https"));
    format!(
        "{}://{}{}",
        scheme.unwrap_or("http"),
        host.unwrap_or("localhost"),
        uri.path()
    )
}

/// The response to a rejected request.
pub(crate) fn response(
    config: &GateConfig,
    bare: &BareChallenge,
    rejection: &Rejection,
    uri: &Uri,
    headers: &HeaderMap,
) -> Response<Body> {
    let (body, mut response_headers) = match &config.offers {
        Some(offers) if rejection.is_challenge => {
            let build = || challenge(config, offers, rejection, &resource(config, uri, headers));
            if rejection.code == PAYMENT_REQUIRED && config.public_url.is_some() {
                bare.0.get_or_init(build).clone()
            } else {
                build()
            }
        }
        _ => {
            let body = Value::Object(rejection.body()).to_string();
            (Bytes::from(body), HeaderMap::new())
        }
    };
    let json = HeaderValue::from_static("application/json");
    response_headers.insert(CONTENT_TYPE, json);
    response_headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if rejection.status == http::StatusCode::UNAUTHORIZED {
        for scheme in schemes(config) {
            response_headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
        }
    }
    if let Some(seconds) = rejection.details.retry_after {
        response_headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(receipt) = &rejection.details.receipt {
        insert(&mut response_headers, receipt);
    }
    let mut response = Response::new(full(body));
    *response.status_mut() = rejection.status;
    *response.headers_mut() = response_headers;
    // Tells the response from one of the handler.
    response.extensions_mut().insert(rejection.clone());
    response
}

fn challenge(
    config: &GateConfig,
    offers: &Offers,
    rejection: &Rejection,
    resource: &Resource,
) -> (Bytes, HeaderMap) {
    let error = Some(rejection.message.as_ref());
    let ChallengeResponse { body, headers } =
        offers.challenge(config.challenge, resource, error, &config.extensions);
    let mut members = rejection.body();
    if let Value::Object(challenge) = body {
        members.extend(challenge);
    }
    let mut map = HeaderMap::new();
    for header in headers {
        insert(&mut map, &header);
    }
    (Value::Object(members).to_string().into(), map)
}

/// Adds a payment header.
pub(crate) fn insert(headers: &mut HeaderMap, header: &PaymentHeader) {
    let name = HeaderName::try_from(header.name);
    let value = HeaderValue::try_from(&header.value);
    if let (Ok(name), Ok(value)) = (name, value) {
        headers.insert(name, value);
    }
}

/// The schemes for `WWW-Authenticate`.
pub(crate) fn schemes(config: &GateConfig) -> Vec<&'static str> {
    let mut schemes = Vec::new();
    if config.offers.is_some() {
        schemes.push("x402");
        if config.schemes.eip3009 {
            schemes.push("EIP-3009");
        }
    }
    if config.schemes.siwe {
        schemes.push("SIWE");
    }
    schemes
}
