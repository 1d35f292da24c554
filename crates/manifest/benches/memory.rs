//! The second part of `make bench-manifest`: peak heap on the same documents. A separate binary, because counting allocations
//! costs time.
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

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MAX_RATIO: f64 = 4.0;

fn main() {
    if !pipeline::is_benchmark() {
        return;
    }
    println!(
        "\npeak heap per document, including the copy of the input; at most {MAX_RATIO}× the input\n"
    );
    let mut failed = false;
    for input in inputs::all() {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        std::hint::black_box(pipeline::run(&input.bytes));
        let peak = ALLOCATOR.peak_usage() - before;
        let ratio = peak as f64 / input.bytes.len() as f64;
        let verdict = if ratio > MAX_RATIO { "  FAILED" } else { "" };
        println!(
            "{:<10} {:>9} bytes {:>9} bytes of heap {ratio:>5.1}×{verdict}",
            input.name,
            input.bytes.len(),
            peak
        );
        failed |= ratio > MAX_RATIO;
    }
    std::process::exit(i32::from(failed));
}
