use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use atr_gate::UsageReporter;
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    caller::post,
    facilitator::Settle,
    payment::World,
    sink::{Mode, Sink},
};

/// Collects log lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The subscriber belongs to the thread, on which the whole runtime runs.
#[tokio::test]
async fn logs_contain_no_secrets() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(lines.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let mut world = World::start();
    let sink = Sink::start(Mode::Status(500), world.log.clone());
    let url = sink.url.parse().unwrap();
    world.config.usage = Some(Arc::new(UsageReporter::new(&url, "usage-key").unwrap()));
    let gate = world.gate();
    let mut secrets = vec!["usage-key".to_owned(), "x-api-key: secret".to_owned()];
    for settle in [Settle::Honest, Settle::LoseAnswer, Settle::Refuse] {
        world.facilitator.set_settle(settle);
        let (name, value) = world.payment(&gate).await;
        world.send(&gate, post(&[(name, &value)])).await;
        secrets.push(value);
    }
    for (_, request) in world.facilitator.requests() {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        let payload = &body["paymentPayload"]["payload"];
        secrets.push(payload["signature"].as_str().unwrap()[2..].to_owned());
    }
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("a usage report was rejected"), "{text}");
    assert!(text.contains("response withheld"), "{text}");
    for secret in secrets {
        assert!(!text.contains(&secret), "{secret} is in the logs");
    }
}
