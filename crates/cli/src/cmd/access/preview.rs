//! `atr access preview`.

use alloy_primitives::Address;
use atr_registry::Access;
use atr_verify::{Freshness, Status, Verdict, Verifier};
use serde::Serialize;

use crate::{
    args::FetchArgs,
    cmd::{
        access::question::QuestionArgs,
        verify::{reason, status},
    },
    context::Context,
    network::registry,
    outcome::Outcome,
    output::{Palette, Report, ToolDetails, field},
    process::{clock, runtime},
};

/// Show what a call of a tool would need, before anything is signed
///
/// Verifies the tool, asks the registry whether the account has access, and prints the price. Nothing is signed, and the
/// tool is not called. If the predicate failed, access is unknown: that is not a denial, and may be temporary.
///
/// Exit codes: 0 verified and granted, 1 not verified or denied, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr access preview 7 0xC8721c9A776958FfFfEb602DA1b708bf1D318379\n  \
    atr access preview https://tools.example.com/.well-known/ai-tool/oracle.json 0x…")]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.preview(context))?
}

impl Args {
    async fn preview(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.question.tool).await?;
        let tool = self.question.find_tool(&registry).await?;
        let account = self.question.resolve_account(context, &registry).await?;
        let http = self.fetch.client(context)?;
        let verifier = Verifier::try_new(registry.clone(), http, Freshness::default())?;
        let verdict = verifier.verify(tool, None, clock::now()).await?;
        let access = registry
            .access(tool.id(), account, &self.question.data.0)
            .await?;
        let verified = verdict.clone().into_verified().ok();
        let warnings = verified.map_or_else(Vec::new, |tool| atr_client::warnings(tool.manifest()));
        let report = PreviewReport {
            tool: tool.to_string(),
            account,
            ok: access != Access::Unknown,
            granted: access == Access::Granted,
            verified: verdict.is_usable(),
            details: ToolDetails::fetch(&registry, &verdict).await,
            warnings: warnings.iter().map(ToString::to_string).collect(),
            verdict,
            access,
        };
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PreviewReport {
    tool: String,
    account: Address,
    /// The results of `tryHasAccess`. Not `ok`: the predicate failed, which is not a denial.
    ok: bool,
    granted: bool,
    /// Whether the tool may be called at all.
    verified: bool,
    warnings: Vec<String>,
    #[serde(flatten)]
    details: ToolDetails,
    #[serde(skip)]
    verdict: Verdict,
    #[serde(skip)]
    access: Access,
}

impl PreviewReport {
    fn outcome(&self) -> Outcome {
        match (self.verdict.status(), self.access) {
            (Status::Unknown, _) => Outcome::Unknown,
            _ if !self.verified => Outcome::Failure,
            (_, Access::Granted) => Outcome::Success,
            (_, Access::Denied) => Outcome::Failure,
            (_, Access::Unknown) => Outcome::Unknown,
        }
    }
}

impl Report for PreviewReport {
    fn render(&self, palette: &Palette) -> String {
        let summary = self.verdict.summary();
        let name = summary.and_then(|summary| summary.name.as_deref());
        let name = name.map_or_else(String::new, |name| format!(" ({})", atr_ids::excerpt(name)));
        let mut text = field("tool", &format!("{}{name}", self.tool));
        let (status, tone) = status(&self.verdict);
        let reason = reason(&self.verdict).map_or_else(String::new, |reason| format!(": {reason}"));
        text += &field(
            "manifest",
            &format!("{}{reason}", palette.tone(tone, status)),
        );
        text += &field("account", &self.account.to_string());
        let result = match self.access {
            Access::Granted => palette.success("granted"),
            Access::Denied => palette.error("denied"),
            Access::Unknown => {
                let unknown = palette.warning("unknown");
                format!("{unknown}: the predicate failed; this is not a denial, try again later")
            }
        };
        text += &field("result", &result);
        text += &self.details.render(summary);
        for warning in &self.warnings {
            text += &field(&palette.warning("warning"), warning);
        }
        if self.outcome() == Outcome::Success {
            text += &palette.next(&format!("atr call {} --data '{{}}'", self.verdict.tool()));
        }
        text
    }

    fn result(&self) -> Outcome {
        self.outcome()
    }
}
