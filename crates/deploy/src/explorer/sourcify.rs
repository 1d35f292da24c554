//! Sourcify's API, version 2: no key, submissions are jobs.

use atr_fetch::HttpClient;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{Status, identifier, parse, unreachable};
use crate::{Error, Target};

/// Sourcify, or a server of one's own.
#[derive(Clone, Debug)]
pub struct Sourcify {
    url: Url,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
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

    /// The server at a URL, such as `https://sourcify.dev/server`.
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
        door: &HttpClient,
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
        let response = door
            .post(&url, "application/json", body.to_string().into_bytes())
            .await
            .map_err(unreachable(Self::NAME))?;
        let answer: Answer = parse(Self::NAME, &response)?;
        if answer.is(ALREADY_VERIFIED) {
            return Ok(Status::Verified("was verified already".to_owned()));
        }
        Ok(match answer.verification_id {
            Some(ticket) if response.is_success() => Status::Pending(ticket),
            _ => Status::Failed(answer.words(response.status)),
        })
    }

    pub(super) async fn ask(&self, door: &HttpClient, ticket: &str) -> Result<Status, Error> {
        let url = self.url(&["v2", "verify", ticket]);
        let response = door.get(&url).await.map_err(unreachable(Self::NAME))?;
        let answer: Answer = parse(Self::NAME, &response)?;
        Ok(answer.outcome(ticket, response.status))
    }
}

const ALREADY_VERIFIED: &str = "already_verified";

impl Answer {
    fn is(&self, code: &str) -> bool {
        let inner = self.error.as_ref().map(|error| error.custom_code.as_str());
        self.custom_code.as_deref() == Some(code) || inner == Some(code)
    }

    fn outcome(self, ticket: &str, status: u16) -> Status {
        if self.is(ALREADY_VERIFIED) {
            return Status::Verified("was verified already".to_owned());
        }
        if !self.is_job_completed && self.error.is_none() && self.custom_code.is_none() {
            return Status::Pending(ticket.to_owned());
        }
        match self
            .contract
            .as_ref()
            .and_then(|contract| contract.kind.as_ref())
        {
            Some(kind) => Status::Verified(kind.clone()),
            None => Status::Failed(self.words(status)),
        }
    }

    fn words(&self, status: u16) -> String {
        let inner = self.error.as_ref();
        let code = inner.map(|error| error.custom_code.clone());
        let message = inner.and_then(|error| error.message.clone());
        let words: Vec<_> = [
            code.or(self.custom_code.clone()),
            message.or(self.message.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        if words.is_empty() {
            return format!("HTTP {status}");
        }
        words.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(json: Value) -> Answer {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn tells_the_answers_to_a_question_apart() {
        let outcome = |json| answer(json).outcome("ticket", 200);
        assert_eq!(
            outcome(json!({ "isJobCompleted": false, "verificationId": "x" })),
            Status::Pending("ticket".into())
        );
        assert_eq!(
            outcome(json!({ "isJobCompleted": true, "contract": { "match": "exact_match" } })),
            Status::Verified("exact_match".into())
        );
        assert_eq!(
            outcome(json!({
                "isJobCompleted": true,
                "contract": { "match": null },
                "error": { "customCode": "no_match", "message": "The bytecodes differ" },
            })),
            Status::Failed("no_match: The bytecodes differ".into())
        );
        assert!(matches!(
            outcome(
                json!({ "isJobCompleted": true, "error": { "customCode": "already_verified" } })
            ),
            Status::Verified(_)
        ));
        assert_eq!(
            answer(json!({ "customCode": "not_found", "message": "No such job" }))
                .outcome("ticket", 404),
            Status::Failed("not_found: No such job".into())
        );
    }

    #[test]
    fn paths_are_added_to_the_servers_own() {
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
