use std::{
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use atr_loopback::{Request, Response};
use serde_json::Value;
use tokio::sync::Notify;

use crate::facilitator::Log;

/// How a report is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    Accept,
    Status(u16),
    Disconnect,
    Hold,
}

/// Receives usage reports.
pub(crate) struct Sink {
    pub(crate) url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    reports: Mutex<Vec<(Request, Value)>>,
    held: Mutex<Vec<TcpStream>>,
    is_held: Notify,
}

impl Sink {
    pub(crate) fn start(mode: Mode, log: Log) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<State>::default();
        let shared = state.clone();
        thread::spawn(move || {
            for mut stream in listener.incoming().filter_map(Result::ok) {
                let Some(request) = Request::read(&mut stream) else {
                    continue;
                };
                let body = serde_json::from_slice(&request.body).unwrap();
                shared.reports.lock().unwrap().push((request, body));
                log.push("usage");
                let response = match mode {
                    Mode::Accept => Response::new(200, r#"{"id":"1","verified":true}"#),
                    Mode::Status(status) => Response::new(status, "no"),
                    Mode::Disconnect => continue,
                    Mode::Hold => {
                        shared.held.lock().unwrap().push(stream);
                        shared.is_held.notify_one();
                        continue;
                    }
                };
                let _ = response.write(&mut stream);
            }
        });
        Self { url, state }
    }

    pub(crate) fn reports(&self) -> Vec<(Request, Value)> {
        self.state.reports.lock().unwrap().clone()
    }

    pub(crate) async fn wait_until_held(&self) {
        self.state.is_held.notified().await;
    }
}
