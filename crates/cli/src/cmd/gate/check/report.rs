use alloy_primitives::Address;
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use crate::{
    cmd::gate::{assembly::GatedTool, report::PriceView},
    outcome::Outcome,
    output::{Palette, Report, escape_line},
};

#[derive(Debug, Serialize)]
pub(super) struct CheckReport {
    pub(super) tools: Vec<ToolCheck>,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolCheck {
    tool: String,
    pub(super) checks: Vec<CheckView>,
    pub(super) callers: Vec<CallerView>,
}

#[derive(Debug, Serialize)]
pub(super) struct CheckView {
    name: &'static str,
    status: Status,
    detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Status {
    Pass,
    Warning,
    Fail,
    Inconclusive,
}

/// What a caller would see.
#[derive(Debug, Serialize)]
pub(super) struct CallerView {
    caller: String,
    /// HTTP status; `None` for an account whose access alone was checked.
    status: Option<u16>,
    /// Code of a rejection, or the result of the access check.
    result: String,
    /// The body of the response.
    #[serde(skip_serializing_if = "Value::is_null")]
    body: Value,
}

impl CheckView {
    pub(super) const fn new(name: &'static str, status: Status, detail: String) -> Self {
        Self {
            name,
            status,
            detail,
        }
    }

    pub(super) fn warning(name: &'static str, detail: &str) -> Self {
        Self::new(name, Status::Warning, detail.to_owned())
    }
}

impl ToolCheck {
    pub(super) const fn new(tool: String) -> Self {
        Self {
            tool,
            checks: Vec::new(),
            callers: Vec::new(),
        }
    }

    /// Adds a check whose errors have this status.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        error: Status,
        result: Result<String, String>,
    ) {
        let (status, detail) = match result {
            Ok(detail) => (Status::Pass, detail),
            Err(detail) => (error, detail),
        };
        self.checks.push(CheckView::new(name, status, detail));
    }

    pub(super) fn set_tool(&mut self, tool: &GatedTool) {
        let publication = &tool.publication;
        self.tool = publication.tool.to_string();
        let hash = publication.manifest.hash();
        let detail = format!("{} verified, hash {hash}", publication.uri);
        self.checks
            .push(CheckView::new("manifest", Status::Pass, detail));
        for offer in tool.offers().iter() {
            let detail = PriceView::new(offer).describe();
            self.checks
                .push(CheckView::new("price", Status::Pass, detail));
        }
    }
}

impl CallerView {
    pub(super) fn new(caller: &str, status: StatusCode, body: &Value) -> Self {
        let code = body["code"].as_str();
        let result = match (status, code) {
            (StatusCode::OK, _) => "admitted",
            (StatusCode::PAYMENT_REQUIRED, None) => "payment_required",
            (_, Some(code)) => code,
            _ => "",
        };
        Self {
            caller: caller.to_owned(),
            status: Some(status.as_u16()),
            result: result.to_owned(),
            body: body.clone(),
        }
    }

    pub(super) fn account(account: Address, access: String) -> Self {
        Self {
            caller: account.to_string(),
            status: None,
            result: access,
            body: Value::Null,
        }
    }

    fn describe(&self) -> String {
        let status = self.status.map(|status| format!("{status} "));
        let mut text = status.unwrap_or_default() + &self.result;
        if let Some(error) = self.body["error"].as_str() {
            text += &format!(": {error}");
        }
        text
    }
}

impl CheckReport {
    pub(super) fn outcome(&self) -> Outcome {
        let mut checks = self.tools.iter().flat_map(|tool| &tool.checks);
        if checks.clone().any(|check| check.status == Status::Fail) {
            Outcome::Failure
        } else if checks.any(|check| check.status == Status::Inconclusive) {
            Outcome::Unknown
        } else {
            Outcome::Success
        }
    }
}

impl Report for CheckReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = String::new();
        for tool in &self.tools {
            // A number if the tool could not be read.
            let title = if tool.tool.bytes().all(|byte| byte.is_ascii_digit()) {
                format!("tool {}", tool.tool)
            } else {
                tool.tool.clone()
            };
            text += &format!("{}\n", palette.heading(&title));
            for check in &tool.checks {
                let status = match check.status {
                    Status::Pass => palette.success("pass        "),
                    Status::Warning => palette.warning("warning     "),
                    Status::Fail => palette.error("fail        "),
                    Status::Inconclusive => palette.warning("inconclusive"),
                };
                let detail = escape_line(&check.detail);
                text += &format!("  {:<12}  {status}  {detail}\n", check.name);
            }
            if !tool.callers.is_empty() {
                text += "callers see\n";
            }
            for caller in &tool.callers {
                let what = escape_line(&caller.describe());
                text += &format!("  {:<42}  {what}\n", caller.caller);
            }
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
