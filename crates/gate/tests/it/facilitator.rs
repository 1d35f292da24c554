use std::{
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use alloy_primitives::{Address, B256, U256, hex};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Network, SignedAuthorization, Token};
use atr_gate::payment::{FacilitatorConfig, Facilitators};
use atr_loopback::{ACCOUNT, Request, Response, post};
use serde_json::{Value, json};

sol! {
    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external;
}

/// How `/verify` is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verify {
    /// Simulates the transfer.
    Honest,
    /// Says this, whatever the payment is.
    Claim(bool),
    Status(u16),
    Disconnect,
}

/// How `/settle` is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settle {
    /// Sends the transfer and waits for it.
    Honest,
    Status(u16),
    /// Does nothing and says no.
    Refuse,
    /// Does nothing and says that the payment is settled.
    ClaimSettled,
    /// Settles and says no.
    ClaimFailed,
    /// Settles and closes the connection.
    LoseAnswer,
    /// Settles and never answers.
    Hang,
    /// Settles, says "pending" this many times, then that it is settled.
    Pending(usize),
}

/// A facilitator that settles on a real chain and misbehaves on demand.
pub(crate) struct Facilitator {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    node: String,
    verify: Mutex<Verify>,
    settle: Mutex<Settle>,
    /// Transactions by nonce.
    settled: Mutex<Vec<(B256, Value)>>,
    requests: Mutex<Vec<(String, Request)>>,
    log: Log,
    held: Mutex<Vec<TcpStream>>,
}

/// What happened, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn push(&self, event: &str) {
        self.0.lock().unwrap().push(event.to_owned());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Facilitator {
    pub(crate) fn start(node: &str, log: Log) -> Self {
        let state = Arc::new(State {
            node: node.to_owned(),
            verify: Mutex::new(Verify::Honest),
            settle: Mutex::new(Settle::Honest),
            settled: Mutex::default(),
            requests: Mutex::default(),
            log,
            held: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/x402", listener.local_addr().unwrap());
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let shared = shared.clone();
                thread::spawn(move || shared.handle(stream));
            }
        });
        Self { url, state }
    }

    pub(crate) fn set_verify(&self, verify: Verify) {
        *self.state.verify.lock().unwrap() = verify;
    }

    pub(crate) fn set_settle(&self, settle: Settle) {
        *self.state.settle.lock().unwrap() = settle;
    }

    pub(crate) fn requests(&self) -> Vec<(String, Request)> {
        self.state.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, path: &str) -> usize {
        let requests = self.state.requests.lock().unwrap();
        requests.iter().filter(|(found, _)| found == path).count()
    }

    /// Number of requests that are never answered.
    #[allow(dead_code, reason = "tests of the store use it")]
    pub(crate) fn held(&self) -> usize {
        self.state.held.lock().unwrap().len()
    }

    pub(crate) fn config(&self) -> FacilitatorConfig {
        FacilitatorConfig {
            url: self.url.parse().unwrap(),
            headers: vec![("x-api-key".to_owned(), "secret".to_owned())],
        }
    }

    pub(crate) fn client(&self) -> Arc<Facilitators> {
        client(vec![self.config()])
    }
}

pub(crate) fn client(configs: Vec<FacilitatorConfig>) -> Arc<Facilitators> {
    let timeout = std::time::Duration::from_secs(60);
    Arc::new(Facilitators::new(configs, timeout).unwrap())
}

impl State {
    fn handle(&self, mut stream: TcpStream) {
        let Some(request) = Request::read(&mut stream) else {
            return;
        };
        let path = request.path().trim_start_matches("/x402/").to_owned();
        let answer = self.respond(&path, &request);
        let is_hanging = answer.is_none() && matches!(*self.settle.lock().unwrap(), Settle::Hang);
        match answer {
            // The client may be gone.
            Some((status, body)) => {
                let _ = Response::new(status, body.to_string()).write(&mut stream);
            }
            None if is_hanging => self.held.lock().unwrap().push(stream),
            None => {}
        }
    }

    fn respond(&self, path: &str, request: &Request) -> Option<(u16, Value)> {
        self.requests
            .lock()
            .unwrap()
            .push((path.to_owned(), request.clone()));
        if path == "supported" {
            let kind = |version: u8, network: &str| json!({ "x402Version": version, "scheme": "exact", "network": network });
            let kinds = [kind(1, "base"), kind(2, "eip155:8453")];
            return Some((200, json!({ "kinds": kinds })));
        }
        self.log.push(path);
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let payment = Payment::read(&body);
        match path {
            "verify" => match *self.verify.lock().unwrap() {
                Verify::Honest => Some((200, self.simulate(&payment))),
                Verify::Claim(is_valid) => Some((200, json!({ "isValid": is_valid }))),
                Verify::Status(status) => Some((status, json!("unavailable"))),
                Verify::Disconnect => None,
            },
            _ => {
                let mut settle = self.settle.lock().unwrap();
                let answer = self.settle(*settle, &payment);
                if let Settle::Pending(count) = *settle {
                    *settle = match count {
                        1 => Settle::Honest,
                        more => Settle::Pending(more - 1),
                    };
                }
                answer
            }
        }
    }

    fn settle(&self, settle: Settle, payment: &Payment) -> Option<(u16, Value)> {
        let failed = |reason: &str| json!({ "success": false, "errorReason": reason, "transaction": "", "network": "base" });
        let settled = |hash: Value| json!({ "success": true, "transaction": hash, "network": "base", "payer": payment.from });
        match settle {
            Settle::Honest => Some((
                200,
                match self.transfer(payment) {
                    Some(hash) => settled(hash),
                    None => failed("transaction_failed"),
                },
            )),
            Settle::Status(status) => Some((status, json!("unavailable"))),
            Settle::Refuse => Some((200, failed("insufficient_funds"))),
            Settle::ClaimSettled => Some((200, settled(json!(B256::repeat_byte(0x1e))))),
            Settle::ClaimFailed => {
                self.transfer(payment);
                Some((200, failed("unexpected_error")))
            }
            Settle::LoseAnswer | Settle::Hang => {
                self.transfer(payment);
                None
            }
            Settle::Pending(_) => {
                let hash = self.transfer(payment);
                let mut answer = failed("settlement_pending");
                answer["transaction"] = json!(hash);
                Some((200, answer))
            }
        }
    }

    fn simulate(&self, payment: &Payment) -> Value {
        let call = json!([payment.transaction(), "latest"]);
        match self.rpc("eth_call", call).get("error") {
            None => json!({ "isValid": true, "payer": payment.from }),
            Some(_) => json!({ "isValid": false, "invalidReason": "insufficient_funds" }),
        }
    }

    /// Sends the transfer, or returns the one that was sent before. `None` if it failed.
    fn transfer(&self, payment: &Payment) -> Option<Value> {
        let mut settled = self.settled.lock().unwrap();
        if let Some((_, hash)) = settled.iter().find(|(nonce, _)| *nonce == payment.nonce) {
            return Some(hash.clone());
        }
        let sent = self.rpc("eth_sendTransaction", json!([payment.transaction()]));
        let hash = sent.get("result")?.clone();
        let receipt = (0..1000).find_map(|_| {
            let receipt = self.rpc("eth_getTransactionReceipt", json!([hash]))["result"].take();
            (!receipt.is_null()).then_some(receipt)
        });
        if receipt.unwrap()["status"] != "0x1" {
            return None;
        }
        settled.push((payment.nonce, hash.clone()));
        Some(hash)
    }

    fn rpc(&self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        serde_json::from_slice(&post(&self.node, request.to_string().as_bytes())).unwrap()
    }
}

/// The call of the token that uses an authorization.
pub(crate) fn transfer_call(signed: &SignedAuthorization) -> Vec<u8> {
    let payload = serde_json::to_value(signed).unwrap();
    Payment::read(&json!({ "paymentPayload": { "payload": payload } })).data
}

struct Payment {
    from: Address,
    nonce: B256,
    data: Vec<u8>,
}

impl Payment {
    fn read(body: &Value) -> Self {
        let payload = &body["paymentPayload"]["payload"];
        let authorization = &payload["authorization"];
        let text = |name: &str| authorization[name].as_str().unwrap();
        let number = |name: &str| -> U256 { text(name).parse().unwrap() };
        let signature = hex::decode(payload["signature"].as_str().unwrap()).unwrap();
        let from: Address = Address::parse_checksummed(text("from"), None).unwrap();
        let nonce = text("nonce").parse().unwrap();
        let call = transferWithAuthorizationCall {
            from,
            to: Address::parse_checksummed(text("to"), None).unwrap(),
            value: number("value"),
            validAfter: number("validAfter"),
            validBefore: number("validBefore"),
            nonce,
            v: signature[64],
            r: B256::from_slice(&signature[..32]),
            s: B256::from_slice(&signature[32..64]),
        };
        Self {
            from,
            nonce,
            data: call.abi_encode(),
        }
    }

    fn transaction(&self) -> Value {
        let data = hex::encode_prefixed(&self.data);
        let usdc = Token::usdc(Network::from_caip2("eip155:8453").unwrap()).unwrap();
        json!({ "from": ACCOUNT, "to": usdc.address(), "data": data, "gas": "0x30d40" })
    }
}
