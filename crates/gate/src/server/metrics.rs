//! Counters of the server, in the text format of Prometheus.

use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

use http::StatusCode;

#[derive(Debug, Default)]
pub(super) struct Metrics {
    connections: Counter,
    open_connections: Counter,
    active_requests: Counter,
    /// By class of status: 1xx to 5xx.
    responses: [Counter; 5],
    aborted_responses: Counter,
    response_bytes: Counter,
}

#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Counter {
    fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    fn subtract(&self, amount: u64) {
        self.0.fetch_sub(amount, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(super) fn connection_opened(&self) {
        self.connections.add(1);
        self.open_connections.add(1);
    }

    pub(super) fn connection_closed(&self) {
        self.open_connections.subtract(1);
    }

    pub(super) fn request_started(&self) {
        self.active_requests.add(1);
    }

    pub(super) fn request_ended(&self, status: Option<StatusCode>, bytes: u64, is_complete: bool) {
        self.active_requests.subtract(1);
        let class = status.map(|status| usize::from(status.as_u16() / 100));
        if let Some(counter) = class.and_then(|class| self.responses.get(class.checked_sub(1)?)) {
            counter.add(1);
        }
        if !is_complete {
            self.aborted_responses.add(1);
        }
        self.response_bytes.add(bytes);
    }

    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, &Counter)]| {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
            for (labels, counter) in values {
                let _ = writeln!(text, "{name}{labels} {}", counter.0.load(Ordering::Relaxed));
            }
        };
        let plain = |counter| [(String::new(), counter)];
        metric(
            "atr_gate_connections_total",
            "counter",
            "Accepted connections.",
            &plain(&self.connections),
        );
        metric(
            "atr_gate_connections_open",
            "gauge",
            "Open connections.",
            &plain(&self.open_connections),
        );
        metric(
            "atr_gate_requests_active",
            "gauge",
            "Requests whose response is not complete.",
            &plain(&self.active_requests),
        );
        let responses: Vec<_> = (1..)
            .zip(&self.responses)
            .map(|(class, counter)| (format!("{{status=\"{class}xx\"}}"), counter))
            .collect();
        metric(
            "atr_gate_responses_total",
            "counter",
            "Responses by class of status.",
            &responses,
        );
        metric(
            "atr_gate_responses_aborted_total",
            "counter",
            "Requests without a complete response: the client or the upstream server closed the connection.",
            &plain(&self.aborted_responses),
        );
        metric(
            "atr_gate_response_bytes_total",
            "counter",
            "Bytes of response bodies.",
            &plain(&self.response_bytes),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_the_text_format_of_prometheus() {
        let metrics = Metrics::default();
        metrics.connection_opened();
        metrics.request_started();
        metrics.request_ended(Some(StatusCode::PAYMENT_REQUIRED), 12, true);
        let text = metrics.render();
        for line in [
            "# TYPE atr_gate_connections_open gauge",
            "atr_gate_connections_open 1",
            "atr_gate_requests_active 0",
            "atr_gate_responses_total{status=\"4xx\"} 1",
            "atr_gate_responses_total{status=\"5xx\"} 0",
            "atr_gate_response_bytes_total 12",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
