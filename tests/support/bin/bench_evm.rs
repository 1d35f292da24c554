//! The registry's handlers as forge invariants and as a state machine on revm, in one go: steps per second of each, and how
//! many times faster the second is. Exit codes: 0 at least ten times, 1 less, 2 misuse, 3 could not find out.

use std::{
    io::{self, ErrorKind, Write},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use acceptance::{
    registry::{Dice, Entry, Handler},
    repository::Repository,
    surroundings,
};
use alloy_primitives::U256;
use atr_harness::CodeSource;
use eyre::{Result, WrapErr, ensure, eyre};
use serde::Serialize;
use serde_json::Value;

const USAGE: &str = "usage: bench-evm [--json]";

/// How much faster we hold ourselves to be.
const REQUIRED_RATIO: f64 = 10.0;

/// Steps before both sides begin anew, as in the desk's profile of forge.
const DEPTH: u32 = 64;

/// Each side runs at least this long, start-up and compilation not counted.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// Runs forge makes first; more if they are over too soon.
const FIRST_RUNS: u32 = 40;

const TEST: &str = "contracts/test/invariant/ToolRegistry.t.sol";
const INVARIANT: &str = "invariant_IdsCountRegistrationsAndOnlyGrow";

/// One side's figures.
#[derive(Debug, Serialize)]
struct Side {
    name: &'static str,
    steps: u64,
    seconds: f64,
    steps_per_second: f64,
}

/// Everything that is printed.
#[derive(Debug, Serialize)]
struct Comparison {
    sides: Vec<Side>,
    /// Our steps per second, and those of the faster forge.
    revm: f64,
    forge: f64,
    /// The first over the second.
    ratio: f64,
    required_ratio: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let is_json = match arguments.as_slice() {
        [] => false,
        ["--json"] => true,
        ["--help" | "-h"] => return told(&mut io::stdout(), USAGE, 0),
        _ => return told(&mut io::stderr(), USAGE, 2),
    };
    let compared = compare().and_then(|comparison| {
        let text = if is_json {
            serde_json::to_string_pretty(&comparison)?
        } else {
            table(&comparison)
        };
        Ok((text, comparison.ratio >= REQUIRED_RATIO))
    });
    match compared {
        Ok((text, is_fast)) => told(&mut io::stdout(), &text, u8::from(!is_fast)),
        Err(error) => told(&mut io::stderr(), &format!("{error:#}"), 3),
    }
}

fn compare() -> Result<Comparison> {
    build()?;
    let isolated = forge("forge, isolate = true", true)?;
    let ours = on_revm()?;
    let together = forge("forge, isolate = false", false)?;
    let fastest = isolated.steps_per_second.max(together.steps_per_second);
    Ok(Comparison {
        revm: ours.steps_per_second,
        forge: fastest,
        ratio: ours.steps_per_second / fastest,
        sides: vec![isolated, together, ours],
        required_ratio: REQUIRED_RATIO,
    })
}

/* REVM */

/// Entries and seeds at random, checked call by call; all of the storage at the end of every run.
fn on_revm() -> Result<Side> {
    let stage = Handler::new(&CodeSource::Committed);
    let mut dice = Dice::new(U256::from(0x8257));
    let mut steps = 0;
    let start = now();
    while start.elapsed() < LONG_ENOUGH {
        let mut handler = stage.clone();
        for _ in 0..DEPTH {
            let entry = dice.pick(&Entry::ALL);
            let seed = dice.word().into();
            handler
                .enter(entry, seed)
                .map_err(|what| eyre!("{entry:?} with seed {seed:#x}: {what}"))?;
        }
        handler.compare_storage().map_err(|what| eyre!(what))?;
        steps += u64::from(DEPTH);
    }
    Ok(Side::new("revm and the model", steps, start.elapsed()))
}

/* FORGE */

/// Compiles beforehand, and only what the invariant needs, so that no compilation is in any figure.
fn build() -> Result<()> {
    let mut command = forge_command();
    command.args(["build", "contracts/src/ToolRegistry.sol", TEST]);
    run(&mut command).map(drop)
}

/// As many runs as take long enough.
fn forge(name: &'static str, isolate: bool) -> Result<Side> {
    let mut runs = FIRST_RUNS;
    loop {
        let (steps, time) = invariant(runs, isolate)?;
        if time >= LONG_ENOUGH {
            return Ok(Side::new(name, steps, time));
        }
        let factor = LONG_ENOUGH.as_secs_f64() * 1.3 / time.as_secs_f64();
        runs *= (factor.ceil() as u32).clamp(2, 1_000);
    }
}

/// Steps of one invariant test, and the time it took by forge's own clock.
fn invariant(runs: u32, isolate: bool) -> Result<(u64, Duration)> {
    let mut command = forge_command();
    command
        .args(["test", "--json", "--threads", "1"])
        .args(["--match-path", TEST, "--match-test", INVARIANT])
        .env("FOUNDRY_ISOLATE", isolate.to_string())
        .env("FOUNDRY_INVARIANT_RUNS", runs.to_string())
        .env("FOUNDRY_INVARIANT_DEPTH", DEPTH.to_string());
    let output = run(&mut command)?;
    let json = output.find('{').map(|start| &output[start..]);
    let suites: Value = serde_json::from_str(json.ok_or_else(|| eyre!("forge printed no JSON"))?)?;
    let suite = suites.as_object().and_then(|suites| suites.values().next());
    let test = suite.map(|suite| &suite["test_results"][format!("{INVARIANT}()")]);
    let test = test.ok_or_else(|| eyre!("forge ran nothing"))?;
    ensure!(test["status"] == "Success", "the invariant failed in forge");
    let steps = test["kind"]["Invariant"]["calls"].as_u64();
    let time = test["duration"].as_str().and_then(duration);
    steps
        .zip(time)
        .ok_or_else(|| eyre!("forge's report has no calls or no duration"))
}

/// Apart from other builds: what is compiled here is not all there is.
fn forge_command() -> Command {
    let repository = Repository::here();
    let mut command = Command::new(repository.program(&surroundings::forge()));
    command
        .current_dir(repository.root())
        .env("FOUNDRY_OUT", "target/bench-evm/out")
        .env("FOUNDRY_CACHE_PATH", "target/bench-evm/cache");
    command
}

fn run(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .wrap_err("could not start forge: run `make deps`")?;
    ensure!(
        output.status.success(),
        "forge failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// `1m 3s 308ms 750µs 653ns`.
fn duration(text: &str) -> Option<Duration> {
    text.split(' ')
        .map(|part| {
            let unit = part.find(|c: char| !c.is_ascii_digit())?;
            let number = part[..unit].parse().ok()?;
            Some(match &part[unit..] {
                "h" => Duration::from_secs(3_600 * number),
                "m" => Duration::from_secs(60 * number),
                "s" => Duration::from_secs(number),
                "ms" => Duration::from_millis(number),
                "µs" => Duration::from_micros(number),
                "ns" => Duration::from_nanos(number),
                _ => return None,
            })
        })
        .sum()
}

/* PRINTING */

impl Side {
    fn new(name: &'static str, steps: u64, time: Duration) -> Self {
        Self {
            name,
            steps,
            seconds: time.as_secs_f64(),
            steps_per_second: steps as f64 / time.as_secs_f64(),
        }
    }
}

fn table(comparison: &Comparison) -> String {
    let mut lines = vec![
        format!("The {} entries of ToolRegistryHandler.sol, at random, {DEPTH} to a run, on one thread each.", Entry::ALL.len()),
        "A step is one entry and all the calls it makes. Both sides check every return, revert and log, the count before".to_owned(),
        "and after each step, and storage at the end of each run. Compilation and start-up are not counted.".to_owned(),
        String::new(),
        format!("{:<24} {:>10} {:>9} {:>15}", "", "steps", "seconds", "steps/second"),
    ];
    lines.extend(comparison.sides.iter().map(|side| {
        format!(
            "{:<24} {:>10} {:>9.1} {:>15.0}",
            side.name, side.steps, side.seconds, side.steps_per_second
        )
    }));
    let verdict = if comparison.ratio >= comparison.required_ratio {
        "at least"
    } else {
        "LESS THAN"
    };
    lines.push(String::new());
    lines.push(format!(
        "revm does {:.0} steps per second and the faster forge {:.0}, {:.1} times as many: {verdict} {:.0} times.",
        comparison.revm, comparison.forge, comparison.ratio, comparison.required_ratio
    ));
    lines.join("\n")
}

/// Prints and gives the exit code. A reader who stops listening is no failure.
fn told(out: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    match writeln!(out, "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitCode::from(3),
        _ => ExitCode::from(code),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; nobody could pass it down"
)]
fn now() -> Instant {
    Instant::now()
}
