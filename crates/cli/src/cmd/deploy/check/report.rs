//! Audit report.

use atr_deploy::{Audit, ContractAudit, Finding, Verdict};
use serde::Serialize;

use crate::{
    args::Chain,
    output::{Palette, Report, Table},
};

#[derive(Debug, Serialize)]
pub(crate) struct AuditReport {
    verdict: Verdict,
    #[serde(flatten)]
    audit: Audit,
}

impl AuditReport {
    pub(crate) fn new(audit: Audit) -> Self {
        Self {
            verdict: audit.verdict(),
            audit,
        }
    }

    pub(crate) const fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Number of passed checks, or the checks that did not pass.
pub(crate) fn summarize_findings(findings: &[Finding]) -> String {
    let failed: Vec<_> = findings
        .iter()
        .filter(|finding| finding.verdict != Verdict::Yes)
        .map(|finding| format!("{}: {}", finding.what, finding.detail))
        .collect();
    if failed.is_empty() {
        return format!("{} of {} passed", findings.len(), findings.len());
    }
    failed.join("; ")
}

fn heading(palette: &Palette, contract: &ContractAudit) -> String {
    let origin = match contract.origin {
        "ours" => "deployed by atr",
        "reference" => "public reference deployment",
        _ => "unknown contract",
    };
    let title = format!("{} at {}", contract.contract, contract.address);
    format!("{} ({origin})\n", palette.heading(&title))
}

fn status(palette: &Palette, verdict: Verdict) -> String {
    match verdict {
        Verdict::Yes => palette.success("pass"),
        Verdict::No => palette.error("fail"),
        Verdict::Unknown => "?   ".to_owned(),
    }
}

impl Report for AuditReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for contract in &self.audit.contracts {
            text += &heading(palette, contract);
            for finding in &contract.findings {
                let status = status(palette, finding.verdict);
                text += &format!("  {status}  {:<14} {}\n", finding.what, finding.detail);
            }
            text.push('\n');
        }
        let chain = Chain::new(self.audit.chain_id).label();
        let mut table = Table::new(["CONTRACT", "ADDRESS", "RESULT"]);
        for contract in &self.audit.contracts {
            let result = match contract.verdict() {
                Verdict::Yes => "pass",
                Verdict::No => "fail",
                Verdict::Unknown => "unknown",
            };
            table.add_row([
                contract.contract.clone(),
                contract.address.to_string(),
                result.to_owned(),
            ]);
        }
        format!("{text}{}\nchain: {chain}\n", table.render(palette))
    }
}
