//! One verdict as text.

use atr_ids::ToolRef;
use atr_manifest::Findings;
use atr_verify::{Check, CheckResult, Failure, Pin, Status, Verdict};

use super::remedy::instruction;
use crate::{
    cmd::manifest::render_findings,
    output::{Palette, Tone, ToolDetails, count_noun, escape_line, field},
};

/// Width of the status in a headline.
const STATUS_WIDTH: usize = 8;

/// One line: status, id, name and, unless the tool passed, the reason.
pub(crate) fn headline(
    verdict: &Verdict,
    details: Option<&ToolDetails>,
    palette: &Palette,
) -> String {
    let (status, tone) = status(verdict);
    let status = palette.tone(tone, &format!("{status:<STATUS_WIDTH$}"));
    let name = verdict.summary().and_then(|summary| summary.name.as_ref());
    let name = name.map_or_else(String::new, |name| format!(" ({})", atr_ids::excerpt(name)));
    let count = details.and_then(ToolDetails::tool_count);
    let reason = match (reason(verdict), count) {
        (Some(reason), Some(count)) => format!(": {reason} (the registry has {count})"),
        (Some(reason), None) => format!(": {reason}"),
        (None, _) => String::new(),
    };
    format!("{status}  tool {}{name}{reason}\n", verdict.tool().id())
}

/// Status of a verdict in one word.
pub(crate) fn status(verdict: &Verdict) -> (&'static str, Tone) {
    match verdict.status() {
        Status::Verified if verdict.is_usable() => ("verified", Tone::Good),
        Status::Verified | Status::Failed | Status::Deregistered | Status::NeverRegistered => {
            ("failed", Tone::Bad)
        }
        Status::Unknown => ("unknown", Tone::Uncertain),
    }
}

/// Why a tool did not pass.
pub(crate) fn reason(verdict: &Verdict) -> Option<String> {
    if let (Some(failure), Some(check)) = (verdict.failure(), verdict.failing()) {
        return Some(format!("{} (check {})", failure.cause, check.number()));
    }
    match verdict.status() {
        Status::Verified if verdict.is_usable() => None,
        Status::Verified if verdict.pin().is_some_and(|pin| !pin.matches) => {
            Some("the registered hash differs from the pinned hash".to_owned())
        }
        Status::Verified => {
            Some("the four checks pass, but the manifest violates rules".to_owned())
        }
        Status::Deregistered => Some("deregistered".to_owned()),
        Status::NeverRegistered => Some("not registered".to_owned()),
        _ => None,
    }
}

/// What the tool is, all checks, and what to do about those that did not pass.
pub(crate) fn render_details(
    verdict: &Verdict,
    details: &ToolDetails,
    palette: &Palette,
) -> String {
    let mut text = field("tool", &verdict.tool().to_string());
    if is_registered(verdict) {
        text += &details.render(verdict.summary());
        text += &render_checks(verdict, true, palette);
    }
    text
}

pub(crate) fn is_registered(verdict: &Verdict) -> bool {
    !matches!(
        verdict.status(),
        Status::Deregistered | Status::NeverRegistered
    )
}

/// The four checks, the pin and the manifest rules; with the observed values if `with_evidence` is set.
pub(crate) fn render_checks(verdict: &Verdict, with_evidence: bool, palette: &Palette) -> String {
    let mut text = String::new();
    for check in Check::ALL {
        let result = verdict.check(check);
        text += &render_check(check, result, with_evidence, palette);
        if let Some(failure) = result.failure() {
            let lines = if with_evidence {
                &LINES[..]
            } else {
                &[Line::Cause, Line::Fix]
            };
            text += &render_lines(failure, Some(verdict.tool()), lines, palette);
        }
    }
    if let Some(pin) = verdict.pin() {
        text += &render_pin(pin, verdict, palette);
    }
    if let Some(rules) = verdict.rules() {
        text += &render_rules(rules, palette);
    }
    text
}

/// What did not pass, for a run over all tools. The headline has the cause.
pub(crate) fn render_problems(verdict: &Verdict, palette: &Palette) -> String {
    let mut text = String::new();
    if let Some(failure) = verdict.failure() {
        let lines = [Line::Observed, Line::Expected, Line::Fix];
        text += &render_lines(failure, Some(verdict.tool()), &lines, palette);
    }
    if let Some(rules) = verdict.rules().filter(|rules| !rules.is_valid()) {
        text += &render_rules(rules, palette);
    }
    text
}

fn render_check(
    check: Check,
    result: &CheckResult,
    with_evidence: bool,
    palette: &Palette,
) -> String {
    let (status, tone, details) = match result {
        CheckResult::Passed { observed } if with_evidence => ("pass", Tone::Good, &**observed),
        CheckResult::Passed { .. } => ("pass", Tone::Good, ""),
        CheckResult::Skipped { reason } => ("skip", Tone::Neutral, &**reason),
        CheckResult::Failed(_) => ("fail", Tone::Bad, ""),
        CheckResult::Inconclusive(_) => ("inconclusive", Tone::Uncertain, ""),
    };
    let separator = if details.is_empty() { "" } else { ": " };
    let value = format!(
        "{}  {}{separator}{}",
        palette.tone(tone, status),
        check.description(),
        escape_line(details)
    );
    field(&format!("check {}", check.number()), &value)
}

/// A line about a failed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Observed,
    Expected,
    Cause,
    /// With the command that follows.
    Fix,
}

const LINES: [Line; 4] = [Line::Observed, Line::Expected, Line::Cause, Line::Fix];

/// A line about a check, aligned with the values of the report.
fn detail(name: &str, value: &str) -> String {
    field(&format!("  {name}"), &escape_line(value))
}

/// All that is known about a failure. `tool` is none before registration.
pub(crate) fn render_failure(
    failure: &Failure,
    tool: Option<ToolRef>,
    palette: &Palette,
) -> String {
    render_lines(failure, tool, &LINES, palette)
}

fn render_lines(
    failure: &Failure,
    tool: Option<ToolRef>,
    lines: &[Line],
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
    for line in lines {
        text += &match line {
            // Several violations are listed below.
            Line::Observed if violations.len() > 1 => {
                let count = count_noun(violations.len(), "violation");
                detail("observed", &format!("{count} ({code})"))
            }
            Line::Observed => detail("observed", observed),
            Line::Expected => detail("expected", expected),
            Line::Cause => detail("cause", cause),
            Line::Fix => {
                let instruction = remedy.as_ref().and_then(|remedy| instruction(remedy, tool));
                let then = instruction.map(|(name, value)| detail(name, &value));
                detail("fix", fix) + &then.unwrap_or_default()
            }
        };
    }
    if violations.len() > 1 {
        text += &render_findings(violations, palette);
    }
    text
}

fn render_pin(pin: Pin, verdict: &Verdict, palette: &Palette) -> String {
    if pin.matches {
        let pass = palette.success("pass");
        return field("pin", &format!("{pass}  matches the registered hash"));
    }
    let registered = verdict.evidence().registered_hash;
    let registered = registered.map_or_else(|| "none".to_owned(), |hash| format!("{hash:#x}"));
    let warning = format!(
        "{}  the registered hash differs from the pinned hash",
        palette.warning("warning")
    );
    field("pin", &warning)
        + &detail("pinned", &format!("{:#x}", pin.hash))
        + &detail("current", &registered)
        + &detail(
            "fix",
            "review the manifest; if you approve it, pin the new hash",
        )
}

fn render_rules(rules: &Findings, palette: &Palette) -> String {
    let warnings = match rules.warnings.len() {
        0 => String::new(),
        count => format!(", {}", count_noun(count, "warning")),
    };
    let value = if rules.is_valid() {
        format!("{}  manifest rules{warnings}", palette.success("pass"))
    } else {
        format!(
            "{}  manifest rules: {}{warnings}",
            palette.error("fail"),
            count_noun(rules.violations.len(), "violation")
        )
    };
    field("rules", &value)
        + &render_findings(&rules.violations, palette)
        + &render_findings(&rules.warnings, palette)
}
