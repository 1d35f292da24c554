//! One verdict as text.

use std::fmt::Write;

use atr_ids::ToolRef;
use atr_manifest::Findings;
use atr_verify::{Check, CheckResult, Failure, Pin, Status, Verdict};

use super::remedy::instruction;
use crate::{
    cmd::manifest::render_findings,
    output::{Palette, escape_line},
};

/// One line per passed check; details and fix for the others.
pub(crate) fn render_verdict(verdict: &Verdict, palette: &Palette) -> String {
    let mut text = format!("{}: {}\n", verdict.tool(), summarize(verdict, palette));
    if matches!(
        verdict.status(),
        Status::Deregistered | Status::NeverRegistered
    ) {
        return text;
    }
    for check in Check::ALL {
        text += &render_check(verdict.tool(), check, verdict.check(check), palette);
    }
    if let Some(pin) = &verdict.pin() {
        text += &render_pin(*pin, verdict, palette);
    }
    if let Some(rules) = &verdict.rules() {
        text += &render_rules(rules, palette);
    }
    text
}

/// The verdict in a few words.
pub(crate) fn summarize(verdict: &Verdict, palette: &Palette) -> String {
    let check = verdict.failing().map_or_else(String::new, |check| {
        format!(": check {} ({check})", check.number())
    });
    match verdict.status() {
        Status::Verified if verdict.is_usable() => palette.success("verified"),
        Status::Verified => {
            let reason = if verdict.pin().is_some_and(|pin| !pin.matches) {
                "the hash differs from the pinned hash"
            } else {
                "the manifest violates rules"
            };
            palette.warning(&format!("verified, but {reason}"))
        }
        Status::Failed => palette.error(&format!("failed{check}")),
        Status::Unknown => palette.warning(&format!("unknown{check} is inconclusive")),
        Status::Deregistered => palette.error("deregistered"),
        Status::NeverRegistered => palette.error("never registered"),
    }
}

fn render_check(tool: ToolRef, check: Check, result: &CheckResult, palette: &Palette) -> String {
    let details = |failure| render_failure(failure, Some(tool), palette);
    let line = |status: &str, details: &str| {
        format!(
            "  {}  {:<29} {status:<13} {}",
            check.number(),
            check.description(),
            escape_line(details)
        )
        .trim_end()
        .to_owned()
            + "\n"
    };
    match result {
        CheckResult::Passed { observed } => line("pass", observed),
        CheckResult::Skipped { reason } => line("skipped", reason),
        CheckResult::Failed(failure) => line(&palette.error("fail"), "") + &details(failure),
        CheckResult::Inconclusive(failure) => {
            line(&palette.warning("inconclusive"), "") + &details(failure)
        }
    }
}

/// `tool` is none before registration.
pub(crate) fn render_failure(
    failure: &Failure,
    tool: Option<ToolRef>,
    palette: &Palette,
) -> String {
    let Failure {
        code,
        observed,
        expected,
        cause,
        fix,
        remedy,
        violations,
    } = failure;
    let mut text = String::new();
    let lines = [
        ("observed", observed),
        ("expected", expected),
        ("cause", cause),
        ("fix", fix),
    ];
    for (name, value) in lines {
        // Several violations are listed below.
        if name == "observed" && violations.len() > 1 {
            let _ = writeln!(
                text,
                "       observed  {} violations ({code})",
                violations.len()
            );
            continue;
        }
        let _ = writeln!(text, "       {name:<8}  {}", escape_line(value));
    }
    let instruction = remedy.as_ref().and_then(|remedy| instruction(remedy, tool));
    if let Some((name, value)) = instruction {
        let _ = writeln!(text, "       {name:<8}  {}", escape_line(&value));
    }
    if violations.len() > 1 {
        text += &render_findings(violations, palette);
    }
    text
}

fn render_pin(pin: Pin, verdict: &Verdict, palette: &Palette) -> String {
    if pin.matches {
        return format!(
            "  pinned hash: {}\n",
            palette.success("matches the registered hash")
        );
    }
    let registered = verdict.evidence().registered_hash;
    let registered = registered.map_or_else(|| "none".to_owned(), |hash| format!("{hash:#x}"));
    format!(
        "  {} the registered hash differs from the pinned hash\n       pinned      {:#x}\n       registered  {registered}\n       fix         \
         review the manifest; if you approve it, pin the new hash\n",
        palette.warning("warning:"),
        pin.hash
    )
}

fn render_rules(rules: &Findings, palette: &Palette) -> String {
    let mut text = match (rules.violations.len(), rules.warnings.len()) {
        (0, 0) => return "  manifest rules: pass\n".to_owned(),
        (0, _) => "  manifest rules: pass, with warnings\n".to_owned(),
        _ => format!("  manifest rules: {}\n", palette.error("fail")),
    };
    text += &render_findings(&rules.violations, palette);
    text += &render_findings(&rules.warnings, palette);
    text
}
