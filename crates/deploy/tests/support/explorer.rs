//! Explorers on loopback: Etherscan's API and Sourcify's, as their documentation has them.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::http::{self, HttpRequest};

/// What an explorer makes of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// It takes two questions, then it is verified.
    Verified,
    /// The contract is not known yet at the first submission, and verified later.
    LateVerified,
    /// It was verified before anyone asked.
    Already,
    /// The code comes from other sources.
    Mismatch,
}

/// A submission as an explorer got it.
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
    opinion: Opinion,
    key: &'static str,
    submissions: Mutex<Vec<Submission>>,
    questions: Mutex<BTreeMap<String, usize>>,
}

impl ExplorerServer {
    pub(crate) fn start(opinion: Opinion, key: &'static str) -> Self {
        let state = Arc::new(State {
            opinion,
            key,
            submissions: Mutex::default(),
            questions: Mutex::default(),
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
        let (status, answer) = if url.path().starts_with("/v2/verify") {
            self.sourcify(&url, &request.body)
        } else {
            (200, self.etherscan(&url, &request.body))
        };
        http::answer(stream, status, answer.to_string().as_bytes());
    }

    /// How often this was asked before.
    fn times_asked(&self, what: String) -> usize {
        let mut questions = self.questions.lock().unwrap();
        let count = questions.entry(what).or_default();
        *count += 1;
        *count - 1
    }

    fn etherscan(&self, url: &Url, body: &[u8]) -> Value {
        let query = url.query_pairs().chain(form_urlencoded::parse(body));
        let owned = query.map(|(name, value)| (name.into_owned(), value.into_owned()));
        let fields: BTreeMap<_, _> = owned.collect();
        let says = |status: &str, result: &str| json!({ "status": status, "message": "x", "result": result });
        if fields["apikey"] != self.key {
            return says("0", "Invalid API Key (#err2)|etherscan-verify");
        }
        if fields["action"] == "verifysourcecode" {
            assert_eq!(fields["codeformat"], "solidity-standard-json-input");
            let address = fields["contractaddress"].clone();
            let is_new = self.times_asked(format!("submitted {address}")) == 0;
            if self.opinion == Opinion::LateVerified && is_new {
                return says("0", &format!("Unable to locate ContractCode at {address}"));
            }
            if self.opinion == Opinion::Already {
                return says("0", "Contract source code already verified");
            }
            self.submissions.lock().unwrap().push(Submission {
                chain_id: fields["chainid"].clone(),
                address: address.clone(),
                contract: fields["contractname"].clone(),
                compiler: fields["compilerversion"].clone(),
                arguments: Some(fields["constructorArguements"].clone()),
                input: serde_json::from_str(&fields["sourceCode"]).unwrap(),
            });
            return says("1", &format!("ticket-{address}"));
        }
        assert_eq!(fields["action"], "checkverifystatus");
        if self.times_asked(fields["guid"].clone()) == 0 {
            return says("0", "Pending in queue");
        }
        match self.opinion {
            Opinion::Mismatch => says("0", "Fail - Unable to verify. Bytecode does not match"),
            _ => says("1", "Pass - Verified"),
        }
    }

    fn sourcify(&self, url: &Url, body: &[u8]) -> (u16, Value) {
        let path: Vec<_> = url.path_segments().unwrap().map(str::to_owned).collect();
        if let [_, _, chain_id, address] = &path[..] {
            if self.opinion == Opinion::Already {
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
        if self.times_asked(job.clone()) == 0 {
            return (
                200,
                json!({ "isJobCompleted": false, "verificationId": job }),
            );
        }
        let answer = match self.opinion {
            Opinion::Mismatch => json!({
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
        (200, answer)
    }
}
