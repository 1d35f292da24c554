//! Whether an account may use a tool.

use alloy_primitives::Address;
use atr_registry::{Access, Introspection};
use serde::Serialize;

use crate::output::GateView;
use crate::{
    outcome::Outcome,
    output::{Palette, Report},
};

/// The registry's answer, and what is known about why.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckReport {
    pub(crate) tool: String,
    pub(crate) account: Address,
    pub(crate) access: Access,
    /// Why nobody can tell.
    pub(crate) reason: Option<String>,
    /// Who decides; none if the tool is open, or not there.
    pub(crate) gate: Option<GateView>,
    /// Why it could not be looked at who decides. The answer holds all the same.
    pub(crate) gate_error: Option<String>,
}

impl CheckReport {
    pub(crate) const fn outcome(&self) -> Outcome {
        match self.access {
            Access::Granted => Outcome::Yes,
            Access::Denied => Outcome::No,
            Access::Unknown => Outcome::Unknown,
        }
    }

    fn answer(&self, palette: &Palette) -> String {
        let reason = |otherwise: &str| {
            let reason = self.reason.clone();
            reason.unwrap_or_else(|| otherwise.to_owned())
        };
        match (self.access, &self.gate) {
            (Access::Granted, None) if self.gate_error.is_none() => {
                format!("{}: the tool is open to everyone", palette.good("granted"))
            }
            (Access::Granted, Some(_)) => {
                format!("{}: the predicate said yes", palette.good("granted"))
            }
            (Access::Granted, None) => palette.good("granted"),
            (Access::Denied, _) => format!("{}: the predicate said no", palette.error("denied")),
            (Access::Unknown, Some(gate)) if !gate.predicate.has_code => format!(
                "{}: the predicate is not yet available",
                palette.warning("could not find out")
            ),
            (Access::Unknown, _) => format!(
                "{}: {}",
                palette.warning("could not find out"),
                reason("the predicate failed, or answered neither yes nor no")
            ),
        }
    }
}

impl Report for CheckReport {
    fn human(&self, palette: &Palette) -> String {
        let mut text = format!(
            "{:<10}  {}\n{:<10}  {}\n{:<10}  {}\n",
            "tool",
            self.tool,
            "account",
            self.account,
            "access",
            self.answer(palette)
        );
        if let Some(error) = &self.gate_error {
            text += &format!("{:<10}  could not be looked at: {error}\n", "gate");
        }
        let Some(gate) = &self.gate else {
            return text;
        };
        text += &format!("{:<10}  {}\n", "gate", gate.title());
        if self.access != Access::Granted && gate.predicate.has_code {
            text += &gate.requirements("it takes");
            if let Introspection::Known { .. } = gate.requirements {
                text += &format!("{:<10}  (what the account holds was not looked up)\n", "");
            }
        }
        text + &gate.warnings(palette)
    }
}
