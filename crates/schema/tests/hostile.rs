//! The outcome and the cost of hostile inputs. A binary of its own: it counts the memory of the whole process.

#[path = "it/hostile_cases.rs"]
mod hostile_cases;

use std::{thread, time::Instant};

use atr_manifest::Document;
use atr_schema::{Budget, Outcome, Schema};
use hostile_cases::{Case, cases};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// For compiling and validating together, without the documents themselves.
const MAX_BYTES: usize = 32 << 20;

/// Half the stack of an ordinary thread. An overflow ends the process.
const STACK_BYTES: usize = 1 << 20;

/// Compiles and validates, prints the cost, and asserts the outcome and the memory.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the figures of `make schema-suite`; no time is asserted"
)]
fn run(case: Case) {
    let Case {
        name,
        schema,
        instance,
        expected,
    } = case;
    let [Ok(schema), Ok(instance)] = [schema, instance].map(Document::parse) else {
        panic!("{name}: too large for a document");
    };
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let compiled = Schema::compile(schema.root());
    let compiling = start.elapsed();
    let budget = Budget::default();
    let (found, left) = match compiled.map(|schema| schema.validate_within(instance.root(), budget))
    {
        Err(_) => ("rejected", budget),
        Ok((Outcome::Valid, left)) => ("valid", left),
        Ok((Outcome::Invalid(_), left)) => ("invalid", left),
        Ok((Outcome::Unknown(_), left)) => ("unknown", left),
    };
    let elapsed = start.elapsed();
    let bytes = ALLOCATOR.peak_usage() - before;
    let fuel = budget.fuel - left.fuel;
    println!(
        "{name:32} {found:8} {compiling:>9.1?} to compile, {elapsed:>9.1?} in all, {fuel:>7} steps, {:>5} KiB",
        bytes >> 10
    );
    assert_eq!(found, expected, "{name}");
    assert!(bytes <= MAX_BYTES, "{name}: {bytes} bytes");
}

#[test]
fn hostile_inputs_end_within_the_budget_and_32_mib() {
    // I-13
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let thread = thread.spawn(|| cases().into_iter().for_each(run)).unwrap();
    thread.join().unwrap();
}
