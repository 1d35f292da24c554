use alloy_primitives::Address;
use atr_registry::Access;
use serde::Serialize;

use crate::{
    outcome::Outcome,
    output::{Palette, PredicateView, Report},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckReport {
    pub(crate) tool: String,
    pub(crate) account: Address,
    /// The ENS name of the argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) access: Access,
    /// Why access is unknown, or denied if the call data is the reason.
    pub(crate) reason: Option<String>,
    /// `None` if the tool is open or not registered.
    pub(crate) predicate: Option<PredicateView>,
    /// Why details of the predicate are missing.
    pub(crate) predicate_error: Option<String>,
}

impl CheckReport {
    pub(crate) const fn outcome(&self) -> Outcome {
        match self.access {
            Access::Granted => Outcome::Success,
            Access::Denied => Outcome::Failure,
            Access::Unknown => Outcome::Unknown,
        }
    }

    fn access(&self, palette: &Palette) -> String {
        match (self.access, &self.predicate) {
            (Access::Granted, None) if self.predicate_error.is_none() => {
                format!(
                    "{}: the tool is open to everyone",
                    palette.success("granted")
                )
            }
            (Access::Granted, _) => palette.success("granted"),
            (Access::Denied, _) => match &self.reason {
                Some(reason) => format!("{}: {reason}", palette.error("denied")),
                None => palette.error("denied"),
            },
            (Access::Unknown, predicate) => {
                let has_code = predicate.as_ref().is_none_or(|view| view.info.has_code);
                let reason = match &self.reason {
                    Some(reason) => reason,
                    None if !has_code => "the predicate has no code",
                    None => "the predicate failed",
                };
                format!("{}: {reason}", palette.warning("unknown"))
            }
        }
    }
}

impl Report for CheckReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = format!(
            "{:<10}  {}\n{:<10}  {}\n{:<10}  {}\n",
            "tool",
            self.tool,
            "account",
            match &self.name {
                Some(name) => format!("{} ({name})", self.account),
                None => self.account.to_string(),
            },
            "access",
            self.access(palette)
        );
        if let Some(error) = &self.predicate_error {
            text += &format!("{:<10}  unknown: {error}\n", "predicate");
        }
        let Some(predicate) = &self.predicate else {
            return text;
        };
        text += &format!("{:<10}  {}\n", "predicate", predicate.title());
        if self.access != Access::Granted && predicate.info.has_code {
            text += &predicate.render_requirements();
        }
        text + &predicate.render_warnings(palette)
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
