//! Sourcify API version 2: no API key, submissions are jobs.

use atr_fetch::HttpClient;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{Status, identifier, parse, unreachable};
use crate::{Error, Target};

/// A Sourcify server.
#[derive(Clone, Debug)]
pub struct Sourcify {
    url: Url,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ApiResponse {
    verification_id: Option<String>,
    is_job_completed: bool,
    contract: Option<Match>,
    error: Option<Failure>,
    custom_code: Option<String>,
    message: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Match {
    #[serde(rename = "match")]
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    custom_code: String,
    message: Option<String>,
}

impl Sourcify {
    pub(super) const NAME: &'static str = "Sourcify";

    /// A server at a URL such as `https://sourcify.dev/server`.
    #[must_use]
    pub const fn new(url: Url) -> Self {
        Self { url }
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    pub(super) async fn submit(
        &self,
        client: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Status, Error> {
        let build = target.code().build();
        let body: Value = json!({
            "stdJsonInput": build.standard_input(),
            "compilerVersion": build.compiler().version,
            "contractIdentifier": identifier(target),
        });
        let url = self.url(&[
            "v2",
            "verify",
            &chain_id.to_string(),
            &target.address().to_string(),
        ]);
        let response = client
            .post(&url, "application/json", body.to_string().into_bytes())
            .await
            .map_err(unreachable(Self::NAME))?;
        let parsed: ApiResponse = parse(Self::NAME, &response)?;
        if parsed.has_code(ALREADY_VERIFIED) {
            return Ok(Status::Verified("already verified".to_owned()));
        }
        Ok(match parsed.verification_id {
            Some(id) if response.is_success() => Status::Pending(id),
            _ => Status::Failed(parsed.message(response.status)),
        })
    }

    pub(super) async fn poll(&self, client: &HttpClient, id: &str) -> Result<Status, Error> {
        let url = self.url(&["v2", "verify", id]);
        let response = client.get(&url).await.map_err(unreachable(Self::NAME))?;
        let parsed: ApiResponse = parse(Self::NAME, &response)?;
        Ok(parsed.verification(id, response.status))
    }
}

const ALREADY_VERIFIED: &str = "already_verified";

impl ApiResponse {
    fn has_code(&self, code: &str) -> bool {
        let inner = self.error.as_ref().map(|error| error.custom_code.as_str());
        self.custom_code.as_deref() == Some(code) || inner == Some(code)
    }

    fn verification(self, id: &str, status: u16) -> Status {
        if self.has_code(ALREADY_VERIFIED) {
            return Status::Verified("already verified".to_owned());
        }
        if !self.is_job_completed && self.error.is_none() && self.custom_code.is_none() {
            return Status::Pending(id.to_owned());
        }
        match self
            .contract
            .as_ref()
            .and_then(|contract| contract.kind.as_ref())
        {
            Some(kind) => Status::Verified(kind.clone()),
            None => Status::Failed(self.message(status)),
        }
    }

    fn message(&self, status: u16) -> String {
        let inner = self.error.as_ref();
        let code = inner.map(|error| error.custom_code.clone());
        let message = inner.and_then(|error| error.message.clone());
        let parts: Vec<_> = [
            code.or(self.custom_code.clone()),
            message.or(self.message.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() {
            return format!("HTTP {status}");
        }
        parts.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(json: Value) -> ApiResponse {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn interprets_the_responses_to_a_poll() {
        let poll = |json| response(json).verification("id", 200);
        assert_eq!(
            poll(json!({ "isJobCompleted": false, "verificationId": "x" })),
            Status::Pending("id".into())
        );
        assert_eq!(
            poll(json!({ "isJobCompleted": true, "contract": { "match": "exact_match" } })),
            Status::Verified("exact_match".into())
        );
        assert_eq!(
            poll(json!({
                "isJobCompleted": true,
                "contract": { "match": null },
                "error": { "customCode": "no_match", "message": "The bytecodes differ" },
            })),
            Status::Failed("no_match: The bytecodes differ".into())
        );
        assert!(matches!(
            poll(json!({ "isJobCompleted": true, "error": { "customCode": "already_verified" } })),
            Status::Verified(_)
        ));
        assert_eq!(
            response(json!({ "customCode": "not_found", "message": "No such job" }))
                .verification("id", 404),
            Status::Failed("not_found: No such job".into())
        );
    }

    #[test]
    fn paths_are_appended_to_the_server_url() {
        for url in [
            "https://sourcify.example/server",
            "https://sourcify.example/server/",
        ] {
            let server = Sourcify::new(url.parse().unwrap());
            assert_eq!(
                server.url(&["v2", "verify"]).as_str(),
                "https://sourcify.example/server/v2/verify"
            );
        }
    }
}
