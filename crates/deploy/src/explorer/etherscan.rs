//! Etherscan API version 2: one URL for all chains, the chain id in the query, the API key with every request. Blockscout has the
//! same API with one URL per chain and without a key.

use std::fmt;

use alloy_primitives::hex;
use atr_fetch::HttpClient;
use serde::Deserialize;
use url::Url;

use super::{FIRST_DELAY, MAX_DELAY, MAX_POLLS, Status, identifier, parse, unreachable};
use crate::{Error, Target};

/// Etherscan, Blockscout, or another explorer with the same API.
#[derive(Clone)]
pub struct Etherscan {
    url: Url,
    /// `None` for Blockscout.
    key: Option<String>,
}

/// Omits the API key.
impl fmt::Debug for Etherscan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Etherscan")
            .field("url", &self.url.as_str())
            .finish_non_exhaustive()
    }
}

/// Response to every request. `result` contains the actual result as text.
#[derive(Debug, Deserialize)]
struct ApiResponse {
    status: String,
    result: String,
}

impl Etherscan {
    /// Etherscan at a URL such as `https://api.etherscan.io/v2/api`.
    #[must_use]
    pub const fn new(url: Url, key: String) -> Self {
        Self {
            url,
            key: Some(key),
        }
    }

    /// Blockscout at a URL such as `https://robinhoodchain.blockscout.com/api`.
    #[must_use]
    pub const fn blockscout(url: Url) -> Self {
        Self { url, key: None }
    }

    pub(super) const fn name(&self) -> &'static str {
        match self.key {
            Some(_) => "Etherscan",
            None => "Blockscout",
        }
    }

    fn url(&self, chain_id: u64, query: &[(&str, &str)]) -> Url {
        let mut url = self.url.clone();
        let mut pairs = url.query_pairs_mut();
        if self.key.is_some() {
            pairs.append_pair("chainid", &chain_id.to_string());
        }
        pairs.extend_pairs(query);
        drop(pairs);
        url
    }

    pub(super) async fn submit(
        &self,
        client: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Status, Error> {
        let build = target.code().build();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        if let Some(key) = &self.key {
            form.append_pair("apikey", key);
        }
        let form = form
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
        let mut delay = FIRST_DELAY;
        for _ in 0..MAX_POLLS {
            let body = form.clone().into_bytes();
            let response = client
                .post(&url, "application/x-www-form-urlencoded", body)
                .await
                .map_err(unreachable(self.name()))?;
            let response: ApiResponse = parse(self.name(), &response)?;
            if !response.should_retry() {
                return Ok(response.submission());
            }
            tokio::time::sleep(delay).await;
            delay = (delay * 2).min(MAX_DELAY);
        }
        Ok(Status::Failed(
            "the explorer is rate limited or has not indexed the contract yet".to_owned(),
        ))
    }

    pub(super) async fn poll(
        &self,
        client: &HttpClient,
        chain_id: u64,
        id: &str,
    ) -> Result<Status, Error> {
        let mut query = vec![
            ("module", "contract"),
            ("action", "checkverifystatus"),
            ("guid", id),
        ];
        query.extend(self.key.as_deref().map(|key| ("apikey", key)));
        let response = client
            .get(&self.url(chain_id, &query))
            .await
            .map_err(unreachable(self.name()))?;
        let response: ApiResponse = parse(self.name(), &response)?;
        Ok(response.verification(id))
    }
}

impl ApiResponse {
    fn contains(&self, text: &str) -> bool {
        self.result.to_lowercase().contains(text)
    }

    /// The contract is not indexed yet, or the request was rate limited.
    fn should_retry(&self) -> bool {
        self.status != "1"
            && (self.contains("unable to locate contractcode")
                || self.contains("not a smart contract")
                || self.contains("rate limit"))
    }

    fn submission(self) -> Status {
        if self.contains("already verified") {
            return Status::Verified("already verified".to_owned());
        }
        if self.status == "1" {
            Status::Pending(self.result)
        } else {
            Status::Failed(self.result)
        }
    }

    fn verification(self, id: &str) -> Status {
        if self.contains("pending") || self.contains("in queue") || self.contains("rate limit") {
            Status::Pending(id.to_owned())
        } else if self.contains("already verified") {
            Status::Verified("already verified".to_owned())
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

    fn response(status: &str, result: &str) -> ApiResponse {
        ApiResponse {
            status: status.to_owned(),
            result: result.to_owned(),
        }
    }

    #[test]
    fn interprets_the_responses_to_a_submission() {
        let id = "ezq878u486pzijkvvmerl6a9mzwhv6sefgvqi5tkwceejc7tvn";
        assert_eq!(response("1", id).submission(), Status::Pending(id.into()));
        let verified = response("0", "Contract source code already verified");
        assert!(matches!(verified.submission(), Status::Verified(_)));
        let invalid_key = response("0", "Invalid API Key (#err2)|etherscan-verify");
        assert!(!invalid_key.should_retry());
        assert!(matches!(invalid_key.submission(), Status::Failed(_)));
        assert!(response("0", "Unable to locate ContractCode at 0x00").should_retry());
        assert!(response("0", "The address is not a smart contract").should_retry());
        assert!(response("0", "Max calls per sec rate limit reached (3/sec)").should_retry());
    }

    #[test]
    fn interprets_the_responses_to_a_poll() {
        let poll = |status, result| response(status, result).verification("id");
        for pending in [
            "Pending in queue",
            "Pending",
            "In queue",
            "Max rate limit reached",
        ] {
            assert_eq!(
                poll("0", pending),
                Status::Pending("id".into()),
                "{pending}"
            );
        }
        assert_eq!(
            poll("1", "Pass - Verified"),
            Status::Verified("Pass - Verified".into())
        );
        let failed = "Fail - Unable to verify";
        assert_eq!(poll("0", failed), Status::Failed(failed.into()));
        assert!(matches!(poll("0", "Already Verified"), Status::Verified(_)));
    }

    #[test]
    fn debug_output_omits_the_api_key() {
        let explorer = Etherscan::new(
            "https://explorer.example/api".parse().unwrap(),
            "SECRET".into(),
        );
        assert!(!format!("{explorer:?}").contains("SECRET"));
    }
}
