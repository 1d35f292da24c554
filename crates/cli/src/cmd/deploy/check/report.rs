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
}

impl AuditReport {
    pub(crate) fn new(audit: Audit) -> Self {
        Self {
            status: audit.status(),
            audit,
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
        for contract in &self.audit.contracts {
            text += &heading(palette, contract);
            for finding in &contract.findings {
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
        let mut table = Table::new(["CONTRACT", "ADDRESS", "RESULT"]);
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
            ]);
        }
        format!("{text}{}\nchain: {chain}\n", table.render(palette))
    }

    fn result(&self) -> Outcome {
        self.status.into()
    }
}
