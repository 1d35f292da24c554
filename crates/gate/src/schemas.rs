//! Validation of input and output against the schemas of a manifest (L-24).

use std::sync::Arc;

use atr_manifest::{Document, Manifest};
use atr_schema::{Outcome, Schema};
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header::CONTENT_TYPE};

use crate::Rejection;

/// Bodies above this size are validated on a thread for blocking work.
const INLINE_BYTES: usize = 32 * 1024;

/// The compiled schemas of a tool. `None`: not validated.
#[derive(Clone, Debug, Default)]
pub struct ToolSchemas {
    /// Of request bodies.
    pub input: Option<Arc<Schema>>,
    /// Of successful JSON responses.
    pub output: Option<Arc<Schema>>,
}

impl ToolSchemas {
    /// Compiles both schemas of a manifest.
    ///
    /// # Errors
    ///
    /// If a schema is invalid or uses what is not supported.
    pub fn from_manifest(manifest: &Manifest) -> Result<Self, atr_schema::Error> {
        Ok(Self {
            input: Some(Arc::new(Schema::compile(manifest.inputs())?)),
            output: Some(Arc::new(Schema::compile(manifest.outputs())?)),
        })
    }

    /// Whether the body of a request is validated. Methods without a body carry no input that the manifest describes.
    pub(crate) fn validates_input(&self, method: &Method) -> bool {
        self.input.is_some() && !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
    }

    /// Validates a request body.
    pub(crate) async fn check_input(&self, body: &Bytes) -> Result<(), Rejection> {
        let Some(schema) = &self.input else {
            return Ok(());
        };
        match validate(schema.clone(), body.clone()).await {
            Validation::Valid => Ok(()),
            Validation::Invalid(outcome) => {
                let message = "the input does not follow the schema of the tool";
                Err(Rejection::bad_request("invalid_input", message)
                    .with_failures(outcome.failures()))
            }
            Validation::NotJson(reason) => {
                let message = format!("the input is not valid JSON: {reason}");
                Err(Rejection::bad_request("invalid_input_json", message))
            }
            // Not known to be valid: the handler must not see it.
            Validation::TooCostly => Err(Rejection::bad_request(
                "input_too_complex",
                "the input cannot be validated within the limits",
            )),
        }
    }

    /// Validates a response body. A failure is the tool's, not the caller's.
    pub(crate) async fn check_output(&self, body: &Bytes) -> Result<(), Rejection> {
        let Some(schema) = &self.output else {
            return Ok(());
        };
        match validate(schema.clone(), body.clone()).await {
            Validation::Valid => Ok(()),
            Validation::Invalid(outcome) => {
                let message = "the output of the tool does not follow its schema";
                Err(Rejection::bad_gateway("invalid_output", message)
                    .with_failures(outcome.failures()))
            }
            Validation::NotJson(_) => {
                let message = "the output of the tool is not valid JSON";
                Err(Rejection::bad_gateway("invalid_output_json", message))
            }
            Validation::TooCostly => Err(Rejection::bad_gateway(
                "output_too_complex",
                "the output of the tool cannot be validated within the limits",
            )),
        }
    }
}

/// Whether a response has a JSON body.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let Some(value) = value else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// Rejects a body that the handler would decode differently than the gate, which reads UTF-8. Frameworks accept charsets such as
/// UTF-7, in which `+AC8-` is a slash.
pub(crate) fn check_charset(headers: &HeaderMap) -> Result<(), Rejection> {
    let rejected = || {
        let message = "the charset of the body is not supported: send JSON in UTF-8";
        Rejection::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_charset",
            message,
        )
    };
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return if headers.contains_key(CONTENT_TYPE) {
            Err(rejected())
        } else {
            Ok(())
        };
    };
    let value = value.to_str().map_err(|_| rejected())?.to_ascii_lowercase();
    // Quoted parameters are split too: text that looks like a charset anywhere counts as one.
    let is_utf8 = value.split([';', ',']).all(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches(['"', '\'']);
        !name.trim().starts_with("charset") || (name.trim() == "charset" && value == "utf-8")
    });
    if is_utf8 { Ok(()) } else { Err(rejected()) }
}

enum Validation {
    Valid,
    Invalid(Outcome),
    NotJson(String),
    TooCostly,
}

async fn validate(schema: Arc<Schema>, body: Bytes) -> Validation {
    if body.len() <= INLINE_BYTES {
        return validate_now(&schema, &body);
    }
    let task = tokio::task::spawn_blocking(move || validate_now(&schema, &body));
    task.await.unwrap_or(Validation::TooCostly)
}

fn validate_now(schema: &Schema, body: &[u8]) -> Validation {
    match Document::parse(body) {
        Ok(document) => match schema.validate(&document) {
            Outcome::Valid => Validation::Valid,
            Outcome::Unknown(_) => Validation::TooCostly,
            invalid => Validation::Invalid(invalid),
        },
        // The limit of the parser, not of the format.
        Err(atr_manifest::Error::TooLarge { .. }) => Validation::TooCostly,
        Err(error) => Validation::NotJson(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn recognizes_json() {
        for (value, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/problem+json", true),
            ("text/event-stream", false),
            ("text/plain", false),
            ("application/jsonl", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            assert_eq!(is_json(&headers), expected, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn bodies_in_another_charset_than_utf_8_are_rejected() {
        assert!(check_charset(&HeaderMap::new()).is_ok());
        for (value, is_accepted) in [
            ("application/json", true),
            ("application/json; charset=utf-8", true),
            ("application/json;Charset=\"UTF-8\"", true),
            ("application/json; charset=utf-7", false),
            ("application/json; charset = utf-16le", false),
            ("application/json; a=\";\"; charset=utf-7", false),
            ("application/json; charset*=utf-8''utf-7", false),
            ("application/json; charset=utf-8; charset=utf-7", false),
            ("application/json, text/plain; charset=utf-32", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            let checked = check_charset(&headers);
            assert_eq!(checked.is_ok(), is_accepted, "{value}");
            // A second header could be the one that the handler reads.
            headers.append(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            assert!(check_charset(&headers).is_err(), "{value}");
        }
    }
}
