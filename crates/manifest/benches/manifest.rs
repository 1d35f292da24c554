//! `make bench-manifest`: our whole pipeline against JavaScript's on the same documents, in CPU time.
//!
//! Ours is more work: strict reading and all rules come on top of what JavaScript does. Fails below the thresholds.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a program for the desk: a panic is the report, and the table is printed"
)]

/// The documents, the same on every run.
mod inputs;
/// Everything we do to a manifest.
mod pipeline;

use std::{fs, path::Path, process::Command};

use serde_json::Value;

const MIN_NANOSECONDS: u64 = 500_000_000;
/// Of so many measurements the best counts, here and in JavaScript: neighbours can only make one slower.
const REPEATS: usize = 3;

/// How many times faster than JavaScript we must be, document by document: manifest, schema, nesting, random.
const REQUIRED: [f64; 4] = [8.0, 6.0, 1.0, 1.0];

fn main() {
    if !pipeline::is_asked_for() {
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../../target/bench-manifest");
    fs::create_dir_all(&folder).unwrap();
    let inputs = inputs::all();
    println!(
        "CPU time per document: parse, canonicalize and hash; ours with strict reading and all rules as well\n"
    );
    println!(
        "{:<10} {:>9} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9}",
        "document", "bytes", "ours", "JS noble", "JS native", "× noble", "× native", "required"
    );
    let mut failures = Vec::new();
    for (input, required) in inputs.iter().zip(REQUIRED) {
        let file = folder.join(format!("{}.json", input.name));
        fs::write(&file, &input.bytes).unwrap();
        let run = || {
            std::hint::black_box(pipeline::run(&input.bytes));
        };
        // Before and after JavaScript, so that a change in the weather favours nobody.
        let before = best(run);
        let theirs = javascript(&here.join("benches/js/bench.mjs"), &file);
        let ours = before.min(best(run));
        assert_eq!(
            pipeline::run(&input.bytes).to_string(),
            theirs["hash"],
            "{}: the hashes differ",
            input.name
        );
        let (noble, native) = (
            theirs["noble"].as_f64().unwrap(),
            theirs["native"].as_f64().unwrap(),
        );
        println!(
            "{:<10} {:>9} {:>11} {:>11} {:>11} {:>9.1} {:>9.1} {:>9}",
            input.name,
            input.bytes.len(),
            time(ours),
            time(noble),
            time(native),
            noble / ours,
            native / ours,
            format!("≥ {required}"),
        );
        if noble / ours < required {
            failures.push(format!(
                "{}: {:.1}× is below {}×",
                input.name,
                noble / ours,
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

/// What JavaScript needs for a document, and the hash it finds.
fn javascript(script: &Path, file: &Path) -> Value {
    let output = Command::new("node").arg(script).arg(file).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The best of a few measurements.
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
        // A tick is coarse: twice as many rounds until there are enough ticks to reckon with.
        rounds = if spent < MIN_NANOSECONDS / 10 {
            rounds * 2
        } else {
            rounds * MIN_NANOSECONDS * 11 / 10 / spent
        };
    }
}

/// What this process has had of the processor, in the kernel's ticks of 10 ms.
fn cpu_nanoseconds() -> u64 {
    const NANOSECONDS_PER_TICK: u64 = 10_000_000;
    let statistics = fs::read_to_string("/proc/self/stat").unwrap();
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th fields behind it.
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
