//! One verdict, told to people.

use std::fmt::Write;

use atr_manifest::Findings;
use atr_verify::{Check, CheckResult, Failure, Pin, Status, Verdict};

use crate::{cmd::manifest::list_findings, output::Palette};

/// The verdict: one line for what holds, observed beside expected for what does not, and the fix last.
pub(crate) fn verdict_text(verdict: &Verdict, palette: &Palette) -> String {
    let mut text = format!("{}: {}\n", verdict.tool(), headline(verdict, palette));
    if matches!(
        verdict.status(),
        Status::Deregistered | Status::NeverRegistered
    ) {
        return text;
    }
    for check in Check::ALL {
        text += &judgement(check, verdict.check(check), palette);
    }
    if let Some(pin) = &verdict.pin() {
        text += &pinned(*pin, verdict, palette);
    }
    if let Some(rules) = &verdict.rules() {
        text += &rules_text(rules, palette);
    }
    text
}

/// The answer in a few words.
pub(crate) fn headline(verdict: &Verdict, palette: &Palette) -> String {
    let failing = |word: &str| {
        let check = verdict.failing().map_or_else(String::new, |check| {
            format!("check {} ({check}) ", check.number())
        });
        palette.error(&format!("{check}{word}"))
    };
    match verdict.status() {
        Status::Verified if verdict.is_usable() => palette.good("verified"),
        Status::Verified => {
            let but = if verdict.pin().is_some_and(|pin| !pin.holds) {
                "not what was pinned"
            } else {
                "its manifest breaks rules"
            };
            palette.warning(&format!("verified, but {but}"))
        }
        Status::Unverified => failing("fails"),
        Status::Unknown => failing("could not be made; unverified until it can"),
        Status::Deregistered => palette.error("deregistered by its creator"),
        Status::NeverRegistered => palette.error("never registered"),
    }
}

fn judgement(check: Check, judgement: &CheckResult, palette: &Palette) -> String {
    let line = |answer: &str, rest: &str| {
        format!(
            "  {}  {:<29} {answer:<8}{rest}",
            check.number(),
            check.claim()
        )
        .trim_end()
        .to_owned()
            + "\n"
    };
    match judgement {
        CheckResult::Passed { observed } => line("yes", observed),
        CheckResult::NotReached { because } => line("-", because),
        CheckResult::Failed(failure) => line(&palette.error("NO"), "") + &why(failure, palette),
        CheckResult::Unknown(failure) => {
            line(&palette.warning("unknown"), "") + &why(failure, palette)
        }
    }
}

pub(crate) fn why(failure: &Failure, palette: &Palette) -> String {
    let Failure {
        code,
        observed,
        expected,
        cause,
        fix,
        command,
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
        // Several rules broken at once are listed below, one by one.
        if name == "observed" && violations.len() > 1 {
            let _ = writeln!(
                text,
                "       observed  {} broken rules ({code})",
                violations.len()
            );
            continue;
        }
        let _ = writeln!(text, "       {name:<8}  {value}");
    }
    if let Some(command) = command {
        let _ = writeln!(text, "       then      {command}");
    }
    if violations.len() > 1 {
        text += &list_findings(violations, palette);
    }
    text
}

fn pinned(pin: Pin, verdict: &Verdict, palette: &Palette) -> String {
    if pin.holds {
        return format!(
            "  pinned hash: {} still the registered one\n",
            palette.good("yes,")
        );
    }
    let now = verdict.evidence().onchain_hash;
    let now = now.map_or_else(|| "none".to_owned(), |hash| format!("{hash:#x}"));
    format!(
        "  {} the registered hash is no longer the pinned one\n       pinned    {:#x}\n       now       {now}\n       fix       \
         read the manifest anew; if you approve of it, pin the new hash\n",
        palette.warning("warning:"),
        pin.hash
    )
}

fn rules_text(rules: &Findings, palette: &Palette) -> String {
    let (broken, warnings) = (rules.violations.len(), rules.warnings.len());
    let mut text = match (broken, warnings) {
        (0, 0) => return "  the manifest's own rules: kept\n".to_owned(),
        (0, _) => "  the manifest's own rules: kept, with advice\n".to_owned(),
        _ => format!("  the manifest's own rules: {}\n", palette.error("broken")),
    };
    text += &list_findings(&rules.violations, palette);
    text += &list_findings(&rules.warnings, palette);
    text
}
