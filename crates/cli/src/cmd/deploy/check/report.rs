//! Audit report.

use atr_deploy::{Audit, AuditStatus, ContractAudit, Finding, Origin};
use serde::Serialize;

use crate::{
    args::Chain,
    outcome::Outcome,
    output::{Palette, Report, Table, escape_line, hints},
};

#[derive(Debug, Serialize)]
pub(crate) struct AuditReport {
    status: AuditStatus,
    #[serde(flatten)]
    audit: Audit,
    /// Whether to print the checks that passed.
    #[serde(skip)]
    is_verbose: bool,
}

impl AuditReport {
    pub(crate) fn new(audit: Audit, is_verbose: bool) -> Self {
        Self {
            status: audit.status(),
            audit,
            is_verbose,
        }
    }

    pub(crate) const fn status(&self) -> AuditStatus {
        self.status
    }
}

/// Number of passed checks, or the checks that did not pass.
pub(crate) fn summarize_findings(findings: &[Finding]) -> String {
    let failed: Vec<_> = findings
        .iter()
        .filter(|finding| finding.status != AuditStatus::Pass)
        .map(|finding| format!("{}: {}", finding.check, finding.detail))
        .collect();
    if failed.is_empty() {
        return format!("{} of {} passed", findings.len(), findings.len());
    }
    failed.join("; ")
}

/// `9 of 10 passed`.
fn summarize_counts(findings: &[Finding]) -> String {
    let passed = findings.iter();
    let passed = passed.filter(|finding| finding.status == AuditStatus::Pass);
    format!("{} of {} passed", passed.count(), findings.len())
}

fn heading(palette: &Palette, contract: &ContractAudit) -> String {
    let origin = match contract.origin {
        Origin::Ours => "deployed by atr",
        Origin::Reference => "public reference deployment",
        Origin::Unknown => "unknown contract",
    };
    let title = format!(
        "{} at {}",
        escape_line(&contract.contract),
        contract.address
    );
    format!("{} ({origin})\n", palette.heading(&title))
}

fn render_status(palette: &Palette, status: AuditStatus) -> String {
    match status {
        AuditStatus::Pass => palette.success("pass"),
        AuditStatus::Fail => palette.error("fail"),
        AuditStatus::Inconclusive => "?   ".to_owned(),
    }
}

impl Report for AuditReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        // Of a single contract, all checks are printed.
        let is_verbose = self.is_verbose || self.audit.contracts.len() == 1;
        for contract in &self.audit.contracts {
            if contract.status() == AuditStatus::Pass && !is_verbose {
                continue;
            }
            text += &heading(palette, contract);
            let findings = contract.findings.iter();
            let is_shown = |finding: &&Finding| is_verbose || finding.status != AuditStatus::Pass;
            for finding in findings.filter(is_shown) {
                let status = render_status(palette, finding.status);
                text += &format!(
                    "  {status}  {:<14} {}\n",
                    finding.check,
                    escape_line(&hints::finding(finding))
                );
            }
            text.push('\n');
        }
        let chain = Chain::new(self.audit.chain_id).label();
        let mut table = Table::new(["CONTRACT", "ADDRESS", "RESULT", "CHECKS"]);
        for contract in &self.audit.contracts {
            let result = match contract.status() {
                AuditStatus::Pass => "pass",
                AuditStatus::Fail => "fail",
                AuditStatus::Inconclusive => "unknown",
            };
            table.add_row([
                contract.contract.clone(),
                contract.address.to_string(),
                result.to_owned(),
                summarize_counts(&contract.findings),
            ]);
        }
        let is_shortened = self.audit.contracts.len() > 1 && !self.is_verbose;
        let hint = if is_shortened && palette.shows_hints() {
            "Use -v to show all checks.\n"
        } else {
            ""
        };
        format!("{text}{}\nchain: {chain}\n{hint}", table.render(palette))
    }

    fn result(&self) -> Outcome {
        self.status.into()
    }
}
