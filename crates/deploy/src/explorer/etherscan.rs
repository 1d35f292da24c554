//! Etherscan's API, version 2: one address for all chains, the chain in the query, the key with every request.

use std::fmt;

use alloy_primitives::hex;
use atr_fetch::HttpClient;
use serde::Deserialize;
use url::Url;

use super::{FIRST_WAIT, LONGEST_WAIT, QUESTIONS, Status, identifier, parse, unreachable};
use crate::{Error, Target};

/// Etherscan, or an explorer that speaks its API.
#[derive(Clone)]
pub struct Etherscan {
    url: Url,
    key: String,
}

/// Shows everything but the key.
impl fmt::Debug for Etherscan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Etherscan")
            .field("url", &self.url.as_str())
            .finish_non_exhaustive()
    }
}

/// What every request is answered with. The status says whether the request was understood; what came of it is in words.
#[derive(Debug, Deserialize)]
struct Answer {
    status: String,
    result: String,
}

impl Etherscan {
    pub(super) const NAME: &'static str = "Etherscan";

    /// The explorer at a URL, such as `https://api.etherscan.io/v2/api`.
    #[must_use]
    pub const fn new(url: Url, key: String) -> Self {
        Self { url, key }
    }

    fn url(&self, chain_id: u64, query: &[(&str, &str)]) -> Url {
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("chainid", &chain_id.to_string())
            .extend_pairs(query);
        url
    }

    pub(super) async fn submit(
        &self,
        door: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Status, Error> {
        let build = target.code().build();
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("apikey", &self.key)
            .append_pair("module", "contract")
            .append_pair("action", "verifysourcecode")
            .append_pair("codeformat", "solidity-standard-json-input")
            .append_pair("sourceCode", &build.standard_input().to_string())
            .append_pair("contractaddress", &target.address().to_string())
            .append_pair("contractname", &identifier(target))
            .append_pair("compilerversion", &format!("v{}", build.compiler().version))
            // The API's own spelling.
            .append_pair("constructorArguements", &hex::encode(target.arguments()))
            .finish();
        let url = self.url(chain_id, &[]);
        let mut wait = FIRST_WAIT;
        for _ in 0..QUESTIONS {
            let body = form.clone().into_bytes();
            let response = door
                .post(&url, "application/x-www-form-urlencoded", body)
                .await
                .map_err(unreachable(Self::NAME))?;
            let answer: Answer = parse(Self::NAME, &response)?;
            if !answer.wants_patience() {
                return Ok(answer.submitted());
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        Ok(Status::Failed(
            "does not take the submission: it is too busy, or has not seen the contract yet"
                .to_owned(),
        ))
    }

    pub(super) async fn ask(
        &self,
        door: &HttpClient,
        chain_id: u64,
        ticket: &str,
    ) -> Result<Status, Error> {
        let query = [
            ("apikey", self.key.as_str()),
            ("module", "contract"),
            ("action", "checkverifystatus"),
            ("guid", ticket),
        ];
        let response = door
            .get(&self.url(chain_id, &query))
            .await
            .map_err(unreachable(Self::NAME))?;
        let answer: Answer = parse(Self::NAME, &response)?;
        Ok(answer.outcome(ticket))
    }
}

impl Answer {
    fn says(&self, words: &str) -> bool {
        self.result.to_lowercase().contains(words)
    }

    /// The contract is too new for it, or we are too fast.
    fn wants_patience(&self) -> bool {
        self.status != "1"
            && (self.says("unable to locate contractcode") || self.says("rate limit"))
    }

    fn submitted(self) -> Status {
        if self.says("already verified") {
            return Status::Verified("was verified already".to_owned());
        }
        if self.status == "1" {
            Status::Pending(self.result)
        } else {
            Status::Failed(self.result)
        }
    }

    fn outcome(self, ticket: &str) -> Status {
        if self.says("pending") || self.says("in queue") || self.says("rate limit") {
            Status::Pending(ticket.to_owned())
        } else if self.says("already verified") {
            Status::Verified("was verified already".to_owned())
        } else if self.status == "1" {
            Status::Verified(self.result)
        } else {
            Status::Failed(self.result)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: &str, result: &str) -> Answer {
        Answer {
            status: status.to_owned(),
            result: result.to_owned(),
        }
    }

    #[test]
    fn tells_the_answers_to_a_submission_apart() {
        let ticket = "ezq878u486pzijkvvmerl6a9mzwhv6sefgvqi5tkwceejc7tvn";
        assert_eq!(
            answer("1", ticket).submitted(),
            Status::Pending(ticket.into())
        );
        let known = answer("0", "Contract source code already verified");
        assert!(matches!(known.submitted(), Status::Verified(_)));
        let bad_key = answer("0", "Invalid API Key (#err2)|etherscan-verify");
        assert!(!bad_key.wants_patience());
        assert!(matches!(bad_key.submitted(), Status::Failed(_)));
        assert!(answer("0", "Unable to locate ContractCode at 0x00").wants_patience());
        assert!(answer("0", "Max calls per sec rate limit reached (3/sec)").wants_patience());
    }

    #[test]
    fn tells_the_answers_to_a_question_apart() {
        let outcome = |status, result| answer(status, result).outcome("ticket");
        assert_eq!(
            outcome("0", "Pending in queue"),
            Status::Pending("ticket".into())
        );
        assert_eq!(
            outcome("1", "Pass - Verified"),
            Status::Verified("Pass - Verified".into())
        );
        let failed = "Fail - Unable to verify";
        assert_eq!(outcome("0", failed), Status::Failed(failed.into()));
        assert!(matches!(
            outcome("0", "Already Verified"),
            Status::Verified(_)
        ));
    }

    #[test]
    fn never_shows_the_key() {
        let explorer = Etherscan::new(
            "https://explorer.example/api".parse().unwrap(),
            "SECRET".into(),
        );
        assert!(!format!("{explorer:?}").contains("SECRET"));
    }
}
