//! Counters of the gates of a process, in the text format of Prometheus.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::access::AccessChecker;

/// Upper bounds in microseconds.
const BUCKETS: [u64; 12] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000,
];

/// Metrics of all gates that share it. Labels are tools and fixed codes; nothing in it comes from a request.
#[derive(Debug, Default)]
pub struct Metrics {
    tools: Mutex<BTreeMap<String, Arc<ToolMetrics>>>,
    access: Mutex<BTreeMap<u64, AccessChecker>>,
}

/// Metrics of one gate.
#[derive(Debug, Default)]
pub(crate) struct ToolMetrics {
    /// By code of the rejection, or `admitted`.
    decisions: Counters<&'static str>,
    decision_time: Histogram,
    /// By operation and outcome.
    facilitator: Counters<(&'static str, &'static str)>,
    settlements: Counters<&'static str>,
    usage_reports: Counters<&'static str>,
}

impl Metrics {
    /// The metrics of a tool. A gate that replaces another continues its counters.
    pub(crate) fn tool(&self, label: String) -> Arc<ToolMetrics> {
        lock(&self.tools).entry(label).or_default().clone()
    }

    pub(crate) fn add_access(&self, checker: &AccessChecker) {
        let chain = checker.config().chain_id;
        lock(&self.access).insert(chain, checker.clone());
    }

    /// All metrics.
    #[must_use]
    pub fn render(&self) -> String {
        let tools = lock(&self.tools).clone();
        let mut text = String::new();
        let mut counter = |name: &str, help: &str, values: Vec<(String, u64)>| {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} counter\n");
            for (labels, value) in values {
                let _ = writeln!(text, "{name}{{{labels}}} {value}");
            }
        };
        let by = |tools: &BTreeMap<String, Arc<ToolMetrics>>,
                  values: fn(&ToolMetrics) -> Vec<(String, u64)>| {
            let labelled = tools.iter().flat_map(|(tool, metrics)| {
                let values = values(metrics).into_iter();
                values.map(move |(labels, value)| (format!("tool=\"{tool}\",{labels}"), value))
            });
            labelled.collect::<Vec<_>>()
        };
        counter(
            "atr_gate_decisions_total",
            "Requests by decision.",
            by(&tools, |tool| {
                tool.decisions.labelled(|code| format!("code=\"{code}\""))
            }),
        );
        counter(
            "atr_gate_facilitator_requests_total",
            "Requests to facilitators.",
            by(&tools, |tool| {
                tool.facilitator.labelled(|(operation, outcome)| {
                    format!("operation=\"{operation}\",outcome=\"{outcome}\"")
                })
            }),
        );
        counter(
            "atr_gate_settlements_total",
            "Payments by outcome.",
            by(&tools, |tool| {
                tool.settlements
                    .labelled(|outcome| format!("outcome=\"{outcome}\""))
            }),
        );
        counter(
            "atr_gate_usage_reports_total",
            "Usage reports by outcome.",
            by(&tools, |tool| {
                tool.usage_reports
                    .labelled(|outcome| format!("outcome=\"{outcome}\""))
            }),
        );
        let rounds = lock(&self.access)
            .iter()
            .map(|(chain, checker)| (format!("chain=\"{chain}\""), checker.rounds()))
            .collect();
        counter(
            "atr_gate_access_requests_total",
            "Requests to nodes for access checks; a batch counts once.",
            rounds,
        );
        let name = "atr_gate_decision_seconds";
        let _ = write!(
            text,
            "# HELP {name} Time from a request to its decision.\n# TYPE {name} histogram\n"
        );
        for (tool, metrics) in &tools {
            metrics.decision_time.render(&mut text, name, tool);
        }
        text
    }
}

impl ToolMetrics {
    pub(crate) fn decision(&self, code: &'static str, time: Duration) {
        self.decisions.add(code);
        self.decision_time.observe(time);
    }

    /// A decision that took as long as the handler.
    pub(crate) fn late_decision(&self, code: &'static str) {
        self.decisions.add(code);
    }

    pub(crate) fn facilitator(&self, operation: &'static str, outcome: &'static str) {
        self.facilitator.add((operation, outcome));
    }

    pub(crate) fn settlement(&self, outcome: &'static str) {
        self.settlements.add(outcome);
    }

    pub(crate) fn usage_report(&self, outcome: &'static str) {
        self.usage_reports.add(outcome);
    }
}

#[derive(Debug)]
struct Counters<K>(Mutex<BTreeMap<K, u64>>);

impl<K> Default for Counters<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord> Counters<K> {
    fn add(&self, key: K) {
        *lock(&self.0).entry(key).or_default() += 1;
    }

    fn labelled(&self, labels: impl Fn(&K) -> String) -> Vec<(String, u64)> {
        let values = lock(&self.0);
        let values = values.iter().map(|(key, value)| (labels(key), *value));
        values.collect()
    }
}

#[derive(Debug, Default)]
struct Histogram {
    /// Not cumulative; the last is above every bound.
    counts: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    fn observe(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let index = BUCKETS.partition_point(|bound| *bound < micros);
        self.counts[index].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn render(&self, text: &mut String, name: &str, tool: &str) {
        let mut total = 0;
        for (index, count) in self.counts.iter().enumerate() {
            total += count.load(Ordering::Relaxed);
            let bound = match BUCKETS.get(index) {
                Some(micros) => seconds(*micros),
                None => "+Inf".to_owned(),
            };
            let _ = writeln!(
                text,
                "{name}_bucket{{tool=\"{tool}\",le=\"{bound}\"}} {total}"
            );
        }
        let sum = seconds(self.micros.load(Ordering::Relaxed));
        let _ = writeln!(text, "{name}_sum{{tool=\"{tool}\"}} {sum}");
        let _ = writeln!(text, "{name}_count{{tool=\"{tool}\"}} {total}");
    }
}

fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_counters_and_a_cumulative_histogram() {
        let metrics = Metrics::default();
        let tool = metrics.tool("eip155:1/erc8257:0x01/7".to_owned());
        tool.decision("admitted", Duration::from_micros(200));
        tool.decision("admitted", Duration::from_millis(2));
        tool.decision("expired", Duration::from_secs(60));
        // A reload continues the counters.
        let again = metrics.tool("eip155:1/erc8257:0x01/7".to_owned());
        again.settlement("settled");
        let text = metrics.render();
        for line in [
            r#"atr_gate_decisions_total{tool="eip155:1/erc8257:0x01/7",code="admitted"} 2"#,
            r#"atr_gate_decisions_total{tool="eip155:1/erc8257:0x01/7",code="expired"} 1"#,
            r#"atr_gate_settlements_total{tool="eip155:1/erc8257:0x01/7",outcome="settled"} 1"#,
            r#"atr_gate_decision_seconds_bucket{tool="eip155:1/erc8257:0x01/7",le="0.000100"} 0"#,
            r#"atr_gate_decision_seconds_bucket{tool="eip155:1/erc8257:0x01/7",le="0.000250"} 1"#,
            r#"atr_gate_decision_seconds_bucket{tool="eip155:1/erc8257:0x01/7",le="0.002500"} 2"#,
            r#"atr_gate_decision_seconds_bucket{tool="eip155:1/erc8257:0x01/7",le="+Inf"} 3"#,
            r#"atr_gate_decision_seconds_sum{tool="eip155:1/erc8257:0x01/7"} 60.002200"#,
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line}\n{text}");
        }
    }
}
