use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use atr_gate::{Clock, Gate, GateLayer, PaymentRecords, SettleMode};
use atr_store::replay::SqliteReplay;
use http::Response;
use http_body_util::Full;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tower::{Layer, ServiceExt};

use crate::{
    caller::{Answer, post},
    facilitator::{Settle, client},
    handler::Handler,
    payment::{World, paid},
};

/// What the process that is killed is to do.
const TASK_VARIABLE: &str = "ATR_GATE_TEST_TASK";

/// Seconds until the payments of a killed process can be taken over.
const LIFETIME: u64 = 15;

/// A paid gate whose records are in a file.
async fn gate(task: &Value, now: u64) -> GateLayer {
    let text = |name: &str| task[name].as_str().unwrap();
    let clock = Clock::new(move || now);
    let store = SqliteReplay::open(Path::new(text("store"))).await.unwrap();
    let records = PaymentRecords::new(Arc::new(store), clock.clone());
    let facilitators = client(vec![atr_gate::payment::FacilitatorConfig {
        url: text("facilitator").parse().unwrap(),
        headers: Vec::new(),
    }]);
    let tool = text("tool").parse().unwrap();
    let mut config = paid(tool, clock, text("rpc"), facilitators, records);
    if task["settlesBefore"] == true {
        config.payments.as_mut().unwrap().settle = SettleMode::Before;
    }
    GateLayer::new(Arc::new(Gate::new(config).unwrap()))
}

/// Sends one paid request and tells how far it got.
#[tokio::test]
#[ignore = "runs in the process that the other tests kill"]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent passes the task in a variable"
)]
#[expect(clippy::disallowed_macros, reason = "the parent reads the output")]
async fn sends_a_request_until_it_is_killed() {
    let task = std::env::var(TASK_VARIABLE).unwrap();
    let task: Value = serde_json::from_str(&task).unwrap();
    let gate = gate(&task, task["now"].as_u64().unwrap()).await;
    let waits = task["handlerWaits"] == true;
    let permits = Arc::new(Semaphore::new(usize::from(!waits)));
    let handler = Handler::new(|| {
        let content = r#"{"result":"from the first process"}"#;
        let response = Response::builder().header("content-type", "application/json");
        response
            .body(Full::new(bytes::Bytes::from(content)))
            .unwrap()
    });
    let handler = handler.waiting_for(&permits);
    let header = task["header"].as_str().unwrap();
    let request = gate
        .layer(handler.clone())
        .oneshot(post(&[("payment-signature", header)]));
    let progress = async {
        while handler.count() == 0 {
            tokio::task::yield_now().await;
        }
        println!("\nreached handler");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        response = request => {
            let status = response.unwrap().status();
            println!("\nreached answer {status}");
            std::future::pending::<()>().await;
        }
        () = progress => {}
    }
}

struct Crash {
    world: World,
    folder: TempDir,
    task: Value,
}

impl Crash {
    async fn prepare() -> Self {
        let world = World::start();
        let folder = tempfile::tempdir().unwrap();
        let (name, header) = world.payment(&world.gate()).await;
        assert_eq!(name, "PAYMENT-SIGNATURE");
        let store: PathBuf = folder.path().join("payments.sqlite");
        let task = json!({
            "rpc": world.chain.anvil.url,
            "facilitator": world.facilitator.url,
            "store": store,
            "tool": world.config.tool.to_string(),
            "now": world.now,
            "header": header,
        });
        Self {
            world,
            folder,
            task,
        }
    }

    /// Runs the task in another process and kills it as soon as `is_reached`, which gets every line of output.
    fn run_and_kill(&self, mut is_reached: impl FnMut(&str) -> bool) {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::sends_a_request_until_it_is_killed"])
            .args(["--ignored", "--nocapture"])
            .env(TASK_VARIABLE, self.task.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let reached = lines.map(Result::unwrap).any(|line| is_reached(&line));
        // SIGKILL.
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(reached, "the process ended by itself");
    }

    /// Sends the same request to a new process, so many seconds later.
    async fn repeat(&self, seconds: u64) -> Answer {
        let gate = gate(&self.task, self.world.now + seconds).await;
        let header = self.task["header"].as_str().unwrap();
        let request = post(&[("payment-signature", header)]);
        self.world.send(&gate, request).await
    }
}

#[tokio::test]
async fn a_kill_between_verify_and_settle_costs_nothing() {
    let mut crash = Crash::prepare().await;
    crash.task["handlerWaits"] = json!(true);
    crash.run_and_kill(|line| line == "reached handler");
    assert_eq!(crash.world.log.take(), ["verify"]);
    crash.world.assert_paid(0);
    // For a short time nobody knows that the process is dead.
    let early = crash.repeat(1).await;
    assert_eq!(
        (early.status, early.code()),
        (409, "payment_in_progress".to_owned())
    );
    let answer = crash.repeat(LIFETIME).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(crash.world.log.take(), ["verify", "handler", "settle"]);
    crash.world.assert_paid(1);
}

#[tokio::test]
async fn sigkill_after_settlement_pays_once_and_keeps_the_response() {
    let crash = Crash::prepare().await;
    // The money moves, and the process never hears of it.
    crash.world.facilitator.set_settle(Settle::Hang);
    crash.run_and_kill(|line| {
        let is_running = line == "reached handler";
        while is_running && crash.world.facilitator.held() == 0 {
            std::thread::yield_now();
        }
        is_running
    });
    crash.world.assert_paid(1);
    let answer = crash.repeat(LIFETIME).await;
    let expected = json!({ "result": "from the first process" });
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert!(answer.header("payment-response").is_some());
    // The handler of the second process did not run.
    assert_eq!(crash.world.handler.count(), 0);
    assert_eq!(crash.world.facilitator.count("settle"), 1);
    crash.world.assert_paid(1);
}

#[tokio::test]
async fn a_kill_before_the_answer_is_sent_leaves_the_answer() {
    let crash = Crash::prepare().await;
    crash.run_and_kill(|line| line == "reached answer 200 OK");
    // A settled payment belongs to nobody: no time has to pass.
    let answer = crash.repeat(0).await;
    let expected = json!({ "result": "from the first process" });
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert_eq!(crash.world.handler.count(), 0);
    crash.world.assert_paid(1);
    assert!(crash.folder.path().exists());
}

#[tokio::test]
async fn a_kill_after_a_payment_in_advance_lets_the_call_be_repeated() {
    let mut crash = Crash::prepare().await;
    crash.task["settlesBefore"] = json!(true);
    crash.task["handlerWaits"] = json!(true);
    crash.run_and_kill(|line| line == "reached handler");
    crash.world.assert_paid(1);
    let answer = crash.repeat(LIFETIME).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "result": "hello" }))
    );
    assert_eq!(crash.world.facilitator.count("settle"), 1);
    crash.world.assert_paid(1);
}
