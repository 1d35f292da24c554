//! What an audit found.

use atr_deploy::{Audit, ContractAudit, Finding, Verdict};
use serde::Serialize;

use crate::{
    args::Chain,
    output::{Palette, Report, Table},
};

/// Every contract with everything that was looked at.
#[derive(Debug, Serialize)]
pub(crate) struct AuditReport {
    verdict: Verdict,
    #[serde(flatten)]
    audit: Audit,
}

impl AuditReport {
    pub(crate) fn of(audit: Audit) -> Self {
        Self {
            verdict: audit.verdict(),
            audit,
        }
    }

    pub(crate) const fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Whether all is well, or else what is not.
pub(crate) fn findings_in_short(findings: &[Finding]) -> String {
    let bad: Vec<_> = findings
        .iter()
        .filter(|finding| finding.verdict != Verdict::Yes)
        .map(|finding| format!("{}: {}", finding.what, finding.detail))
        .collect();
    if bad.is_empty() {
        return format!("{} of {} as expected", findings.len(), findings.len());
    }
    bad.join("; ")
}

fn heading(palette: &Palette, contract: &ContractAudit) -> String {
    let origin = match contract.origin {
        "ours" => "of this toolkit",
        "reference" => "of the public reference deployment",
        _ => "of unknown origin",
    };
    let title = format!("{} at {}", contract.contract, contract.address);
    format!("{} {origin}\n", palette.heading(&title))
}

fn mark(palette: &Palette, verdict: Verdict) -> String {
    match verdict {
        Verdict::Yes => palette.good("yes"),
        Verdict::No => palette.error("no "),
        Verdict::Unknown => "?  ".to_owned(),
    }
}

impl Report for AuditReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for contract in &self.audit.contracts {
            text += &heading(palette, contract);
            for finding in &contract.findings {
                let mark = mark(palette, finding.verdict);
                text += &format!("  {mark}  {:<14} {}\n", finding.what, finding.detail);
            }
            text.push('\n');
        }
        let chain = Chain::of_id(self.audit.chain_id).named();
        let mut table = Table::new(["CONTRACT", "ADDRESS", "AS EXPECTED"]);
        for contract in &self.audit.contracts {
            let answer = match contract.verdict() {
                Verdict::Yes => "yes",
                Verdict::No => "no",
                Verdict::Unknown => "could not find out",
            };
            table.add([
                contract.contract.clone(),
                contract.address.to_string(),
                answer.to_owned(),
            ]);
        }
        format!("{text}{}\non {chain}\n", table.human(palette))
    }
}
