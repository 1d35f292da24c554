//! A block explorer for tests, with the APIs of Etherscan and Sourcify.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::http::{self, HttpRequest};

/// How the explorer handles a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// Verified at the second poll.
    Verified,
    /// Rejects the first submission because the contract is not indexed yet; then verified.
    NotIndexedYet,
    /// Already verified.
    AlreadyVerified,
    /// The bytecode does not match.
    Mismatch,
}

/// A received submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    pub(crate) chain_id: String,
    pub(crate) address: String,
    pub(crate) contract: String,
    pub(crate) compiler: String,
    pub(crate) arguments: Option<String>,
    pub(crate) input: Value,
}

pub(crate) struct ExplorerServer {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    behavior: Behavior,
    key: &'static str,
    submissions: Mutex<Vec<Submission>>,
    requests: Mutex<BTreeMap<String, usize>>,
}

impl ExplorerServer {
    pub(crate) fn start(behavior: Behavior, key: &'static str) -> Self {
        let state = Arc::new(State {
            behavior,
            key,
            submissions: Mutex::default(),
            requests: Mutex::default(),
        });
        let shared = state.clone();
        let url = http::serve(move |request, stream| shared.handle(&request, stream));
        Self { url, state }
    }

    pub(crate) fn submissions(&self) -> Vec<Submission> {
        self.state.submissions.lock().unwrap().clone()
    }
}

impl State {
    fn handle(&self, request: &HttpRequest, stream: TcpStream) {
        let url = Url::parse("http://localhost")
            .unwrap()
            .join(&request.target)
            .unwrap();
        let (status, response) = if url.path().starts_with("/v2/verify") {
            self.sourcify(&url, &request.body)
        } else {
            (200, self.etherscan(&url, &request.body))
        };
        http::respond(stream, status, response.to_string().as_bytes());
    }

    /// Number of earlier requests with this key.
    fn count(&self, key: String) -> usize {
        let mut requests = self.requests.lock().unwrap();
        let count = requests.entry(key).or_default();
        *count += 1;
        *count - 1
    }

    fn etherscan(&self, url: &Url, body: &[u8]) -> Value {
        let query = url.query_pairs().chain(form_urlencoded::parse(body));
        let owned = query.map(|(name, value)| (name.into_owned(), value.into_owned()));
        let fields: BTreeMap<_, _> = owned.collect();
        let respond = |status: &str, result: &str| json!({ "status": status, "message": "x", "result": result });
        // Blockscout: another path, no key, no chain id.
        let is_blockscout = url.path().starts_with("/blockscout");
        if !is_blockscout && fields["apikey"] != self.key {
            return respond("0", "Invalid API Key (#err2)|etherscan-verify");
        }
        if fields["action"] == "verifysourcecode" {
            assert_eq!(fields["codeformat"], "solidity-standard-json-input");
            let address = fields["contractaddress"].clone();
            let is_new = self.count(format!("submitted {address}")) == 0;
            if self.behavior == Behavior::NotIndexedYet && is_new {
                return match is_blockscout {
                    true => respond("0", "The address is not a smart contract"),
                    false => respond("0", &format!("Unable to locate ContractCode at {address}")),
                };
            }
            if self.behavior == Behavior::AlreadyVerified {
                return respond("0", "Contract source code already verified");
            }
            self.submissions.lock().unwrap().push(Submission {
                chain_id: fields.get("chainid").cloned().unwrap_or_default(),
                address: address.clone(),
                contract: fields["contractname"].clone(),
                compiler: fields["compilerversion"].clone(),
                arguments: Some(fields["constructorArguements"].clone()),
                input: serde_json::from_str(&fields["sourceCode"]).unwrap(),
            });
            return respond("1", &format!("id-{address}"));
        }
        assert_eq!(fields["action"], "checkverifystatus");
        if self.count(fields["guid"].clone()) == 0 {
            return respond("0", "Pending in queue");
        }
        match self.behavior {
            Behavior::Mismatch => respond("0", "Fail - Unable to verify. Bytecode does not match"),
            _ => respond("1", "Pass - Verified"),
        }
    }

    fn sourcify(&self, url: &Url, body: &[u8]) -> (u16, Value) {
        let path: Vec<_> = url.path_segments().unwrap().map(str::to_owned).collect();
        if let [_, _, chain_id, address] = &path[..] {
            if self.behavior == Behavior::AlreadyVerified {
                let message = "The contract is already verified";
                return (
                    409,
                    json!({ "customCode": "already_verified", "message": message, "errorId": "1" }),
                );
            }
            let body: Value = serde_json::from_slice(body).unwrap();
            let text = |key: &str| body[key].as_str().unwrap().to_owned();
            self.submissions.lock().unwrap().push(Submission {
                chain_id: chain_id.clone(),
                address: address.clone(),
                contract: text("contractIdentifier"),
                compiler: text("compilerVersion"),
                arguments: None,
                input: body["stdJsonInput"].clone(),
            });
            return (202, json!({ "verificationId": format!("job-{address}") }));
        }
        let job = path.last().unwrap().clone();
        if self.count(job.clone()) == 0 {
            return (
                200,
                json!({ "isJobCompleted": false, "verificationId": job }),
            );
        }
        let response = match self.behavior {
            Behavior::Mismatch => json!({
                "isJobCompleted": true,
                "verificationId": job,
                "contract": { "match": null },
                "error": { "customCode": "no_match", "message": "The onchain and recompiled bytecodes don't match." },
            }),
            _ => json!({
                "isJobCompleted": true,
                "verificationId": job,
                "contract": { "match": "exact_match", "creationMatch": "exact_match", "runtimeMatch": "exact_match" },
            }),
        };
        (200, response)
    }
}
