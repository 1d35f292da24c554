//! `make bench-manifest`: CPU time of parsing, checking, canonicalizing and hashing, compared with JavaScript.
//!
//! The JavaScript side does less: it does not parse strictly and checks no rules. Fails below the required speedup.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a benchmark prints its results and may panic"
)]

/// Deterministic documents.
mod inputs;
/// The measured work.
mod pipeline;

use std::{fs, path::Path, process::Command};

use serde_json::Value;

const MIN_NANOSECONDS: u64 = 500_000_000;
/// The best measurement counts, here and in JavaScript, because other processes only slow it down.
const REPEATS: usize = 3;

/// Required speedup over JavaScript for each document: manifest, schema, nesting, random.
const REQUIRED: [f64; 4] = [8.0, 6.0, 1.0, 1.0];

fn main() {
    if !pipeline::is_benchmark() {
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../../target/bench-manifest");
    fs::create_dir_all(&folder).unwrap();
    let inputs = inputs::all();
    println!("CPU time per document: parse, canonicalize and hash; atr also checks all rules\n");
    println!(
        "{:<10} {:>9} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9}",
        "document", "bytes", "atr", "JS noble", "JS native", "× noble", "× native", "required"
    );
    let mut failures = Vec::new();
    for (input, required) in inputs.iter().zip(REQUIRED) {
        let file = folder.join(format!("{}.json", input.name));
        fs::write(&file, &input.bytes).unwrap();
        let run = || {
            std::hint::black_box(pipeline::run(&input.bytes));
        };
        // Measured before and after JavaScript, so that changes in load affect both sides.
        let before = best(run);
        let javascript = run_javascript(&here.join("benches/js/bench.mjs"), &file);
        let rust = before.min(best(run));
        assert_eq!(
            pipeline::run(&input.bytes).to_string(),
            javascript["hash"],
            "{}: the hashes differ",
            input.name
        );
        let (noble, native) = (
            javascript["noble"].as_f64().unwrap(),
            javascript["native"].as_f64().unwrap(),
        );
        println!(
            "{:<10} {:>9} {:>11} {:>11} {:>11} {:>9.1} {:>9.1} {:>9}",
            input.name,
            input.bytes.len(),
            time(rust),
            time(noble),
            time(native),
            noble / rust,
            native / rust,
            format!("≥ {required}"),
        );
        if noble / rust < required {
            failures.push(format!(
                "{}: {:.1}× is below {}×",
                input.name,
                noble / rust,
                required
            ));
        }
    }
    println!("\nnoble: canonicalize and @noble/hashes; native: canonicalize and keccak.");
    for failure in &failures {
        println!("FAILED {failure}");
    }
    std::process::exit(i32::from(!failures.is_empty()));
}

/// Runs the JavaScript benchmark. Returns its times and the hash.
fn run_javascript(script: &Path, file: &Path) -> Value {
    let output = Command::new("node").arg(script).arg(file).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The best of several measurements.
fn best(run: impl Fn() + Copy) -> f64 {
    (0..REPEATS)
        .map(|_| measure(run))
        .fold(f64::INFINITY, f64::min)
}

/// CPU nanoseconds of one run.
fn measure(run: impl Fn()) -> f64 {
    let mut rounds: u64 = 1;
    loop {
        let start = cpu_nanoseconds();
        (0..rounds).for_each(|_| run());
        let spent = cpu_nanoseconds() - start;
        if spent >= MIN_NANOSECONDS {
            return spent as f64 / rounds as f64;
        }
        // A tick is coarse: double the rounds until the estimate is reliable.
        rounds = if spent < MIN_NANOSECONDS / 10 {
            rounds * 2
        } else {
            rounds * MIN_NANOSECONDS * 11 / 10 / spent
        };
    }
}

/// CPU time of this process, in kernel ticks of 10 ms.
fn cpu_nanoseconds() -> u64 {
    const NANOSECONDS_PER_TICK: u64 = 10_000_000;
    let statistics = fs::read_to_string("/proc/self/stat").unwrap();
    // The name in parentheses can contain spaces; user and system time are the 12th and 13th fields after it.
    let fields = statistics.rsplit(") ").next().unwrap().split(' ');
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap())
        .sum();
    ticks * NANOSECONDS_PER_TICK
}

fn time(nanoseconds: f64) -> String {
    if nanoseconds < 1e6 {
        format!("{:.2} µs", nanoseconds / 1e3)
    } else {
        format!("{:.2} ms", nanoseconds / 1e6)
    }
}
