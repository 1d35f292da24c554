//! Metrics in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{extract::State, response::IntoResponse};
use http::{Method, header};

use super::AppState;

/// Upper bounds of the histogram, in microseconds.
const BUCKETS: [u64; 10] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_000_000,
];

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By method, route and status.
    requests: Mutex<BTreeMap<(String, String, u16), u64>>,
    durations: Mutex<BTreeMap<String, Histogram>>,
    rate_limited: AtomicU64,
    verified_usage: AtomicU64,
    unverified_usage: AtomicU64,
}

#[derive(Debug, Default)]
struct Histogram {
    counts: [u64; BUCKETS.len() + 1],
    micros: u64,
}

impl Metrics {
    /// `route` is the pattern, so that the number of series is bounded.
    pub(super) fn request(&self, method: &Method, route: &str, status: u16, time: Duration) {
        let method = match *method {
            Method::GET | Method::HEAD | Method::POST | Method::OPTIONS => method.as_str(),
            _ => "other",
        };
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests
            .entry((method.to_owned(), route.to_owned(), status))
            .or_default() += 1;
        let mut durations = self
            .durations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let histogram = durations.entry(route.to_owned()).or_default();
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        histogram.counts[BUCKETS.partition_point(|bound| *bound < micros)] += 1;
        histogram.micros = histogram.micros.saturating_add(micros);
    }

    pub(super) fn rate_limited(&self) {
        self.rate_limited.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn usage(&self, is_verified: bool) {
        let counter = if is_verified {
            &self.verified_usage
        } else {
            &self.unverified_usage
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn render(&self, text: &mut String) {
        text.push_str("# TYPE atr_api_requests_total counter\n");
        for ((method, route, status), count) in
            &*self.requests.lock().unwrap_or_else(PoisonError::into_inner)
        {
            let _ = writeln!(
                text,
                "atr_api_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
            );
        }
        text.push_str("# TYPE atr_api_request_seconds histogram\n");
        for (route, histogram) in &*self
            .durations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
        {
            let mut total = 0;
            for (index, count) in histogram.counts.iter().enumerate() {
                total += count;
                let bound = BUCKETS
                    .get(index)
                    .map_or_else(|| "+Inf".to_owned(), |micros| seconds(*micros));
                let _ = writeln!(
                    text,
                    "atr_api_request_seconds_bucket{{route=\"{route}\",le=\"{bound}\"}} {total}"
                );
            }
            let _ = writeln!(
                text,
                "atr_api_request_seconds_sum{{route=\"{route}\"}} {}",
                seconds(histogram.micros)
            );
            let _ = writeln!(
                text,
                "atr_api_request_seconds_count{{route=\"{route}\"}} {total}"
            );
        }
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, labels, value) in [
            ("atr_api_rate_limited_total", "", load(&self.rate_limited)),
            (
                "atr_api_usage_reports_total",
                "{verified=\"true\"}",
                load(&self.verified_usage),
            ),
            (
                "atr_api_usage_reports_total",
                "{verified=\"false\"}",
                load(&self.unverified_usage),
            ),
        ] {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    }
}

fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

pub(super) async fn serve(State(state): State<AppState>) -> impl IntoResponse {
    let mut text = String::new();
    state.metrics.render(&mut text);
    // Gauges of the index; absent when the database is not available.
    if let Ok(status) = state.catalog.status().await {
        for (name, value) in [
            ("pending", status.pending),
            ("verified", status.verified),
            ("failed", status.failed),
            ("unknown", status.unknown),
        ] {
            let _ = writeln!(text, "atr_index_tools{{verification=\"{name}\"}} {value}");
        }
        let _ = writeln!(text, "atr_index_sequence {}", status.sequence);
        let _ = writeln!(text, "atr_search_sequence {}", status.search_sequence);
        let _ = writeln!(text, "atr_index_due_jobs {}", status.due);
        for registry in &status.registries {
            let labels = format!(
                "chain=\"{}\",registry=\"{}\"",
                registry.registry_chain, registry.registry_addr
            );
            let block = registry.block.unwrap_or_default();
            let _ = writeln!(text, "atr_index_block{{{labels}}} {block}");
            let _ = writeln!(text, "atr_index_head{{{labels}}} {}", registry.head);
        }
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
}
