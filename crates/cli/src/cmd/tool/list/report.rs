use alloy_primitives::{Address, U256};
use atr_ids::ToolRef;
use atr_manifest::ManifestSummary;
use atr_registry::{Introspection, ToolState};
use atr_verify::{Check, Status, Verdict};
use serde::{Serialize, Serializer};

use crate::{
    cmd::verify::status,
    output::{Cell, Palette, Report, Table, Tokens, Tone, price_in_brief},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListReport {
    pub(crate) chain_id: u64,
    pub(crate) registry: Address,
    /// Number of assigned ids, as a decimal string.
    #[serde(serialize_with = "as_text")]
    pub(crate) count: U256,
    pub(crate) tools: Vec<ListedTool>,
    /// The tokens of prices and requirements.
    pub(crate) tokens: Tokens,
    /// First id of the next page.
    pub(crate) next: Option<String>,
    /// Whether the manifests were fetched.
    #[serde(skip)]
    pub(crate) is_fetched: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTool {
    pub(crate) id: String,
    #[serde(rename = "tool", serialize_with = "as_text")]
    pub(crate) reference: ToolRef,
    #[serde(flatten)]
    pub(crate) state: ToolState,
    #[serde(flatten)]
    verification: Option<Verification>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manifest: Option<ManifestSummary>,
    /// Of a gated tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requirements: Option<Introspection>,
}

#[derive(Debug, Serialize)]
struct Verification {
    status: Status,
    usable: bool,
    failing: Option<Check>,
    #[serde(skip)]
    word: (&'static str, Tone),
}

impl ListedTool {
    pub(crate) fn new(reference: ToolRef, state: ToolState) -> Self {
        Self {
            id: reference.id().to_string(),
            reference,
            state,
            verification: None,
            manifest: None,
            requirements: None,
        }
    }

    pub(crate) fn add_verdict(&mut self, verdict: &Verdict) {
        if !matches!(self.state, ToolState::Live(_)) {
            return;
        }
        self.verification = Some(Verification {
            status: verdict.status(),
            usable: verdict.is_usable(),
            failing: verdict.failing(),
            word: status(verdict),
        });
        self.manifest = verdict.summary().cloned();
    }

    /// `None` for an open tool, and for one that is not registered.
    pub(crate) fn predicate(&self) -> Option<Address> {
        match &self.state {
            ToolState::Live(config) => config.access_predicate,
            ToolState::Deregistered | ToolState::NeverRegistered => None,
        }
    }

    /// Why there is nothing to show; `None` for a registered tool.
    const fn absence(&self) -> Option<&'static str> {
        match self.state {
            ToolState::Live(_) => None,
            ToolState::Deregistered => Some("(deregistered)"),
            ToolState::NeverRegistered => Some("(never registered)"),
        }
    }

    fn access(&self, tokens: &Tokens) -> String {
        match &self.requirements {
            Some(requirements) => tokens.requirements_in_brief(requirements),
            None => "open".to_owned(),
        }
    }

    fn row(&self, tokens: &Tokens) -> [Cell; 6] {
        let text = |text: &str| Cell::from(text.to_owned());
        let id = text(&self.id);
        if let Some(absence) = self.absence() {
            return [id, text(""), text(absence), text(""), text(""), text("")];
        }
        let status = self.verification.as_ref().map(|found| found.word);
        let status = status.map_or_else(|| text(""), |(word, tone)| Cell::new(word, tone));
        let unknown = || text("?");
        let manifest = self.manifest.as_ref();
        let name = manifest.and_then(|manifest| manifest.name.as_deref());
        let endpoint = manifest.and_then(|manifest| manifest.endpoint.as_deref());
        [
            id,
            status,
            name.map_or_else(unknown, text),
            manifest.map_or_else(unknown, |manifest| price_in_brief(manifest, tokens).into()),
            self.access(tokens).into(),
            // The scheme is always the same.
            endpoint.map_or_else(unknown, |url| {
                text(url.strip_prefix("https://").unwrap_or(url))
            }),
        ]
    }

    fn registration_row(&self, tokens: &Tokens) -> [String; 4] {
        let ToolState::Live(config) = &self.state else {
            let absence = self.absence().unwrap_or_default();
            return [
                self.id.clone(),
                absence.to_owned(),
                String::new(),
                String::new(),
            ];
        };
        [
            self.id.clone(),
            config.creator.to_string(),
            self.access(tokens),
            // Untrusted.
            atr_ids::sanitize(&config.metadata_uri),
        ]
    }
}

impl ListReport {
    fn table(&self, palette: &Palette) -> String {
        if !self.is_fetched {
            let mut table =
                Table::new(["ID", "CREATOR", "ACCESS", "MANIFEST"]).with_right_aligned(&[0]);
            for tool in &self.tools {
                table.add_row(tool.registration_row(&self.tokens));
            }
            return table.render(palette);
        }
        let mut table = Table::new(["ID", "STATUS", "NAME", "PRICE", "ACCESS", "ENDPOINT"])
            .with_right_aligned(&[0]);
        for tool in &self.tools {
            table.add_row(tool.row(&self.tokens));
        }
        table.render(palette)
    }
}

impl Report for ListReport {
    fn render(&self, palette: &Palette) -> String {
        let more = match &self.next {
            Some(next) => format!("\nmore tools: --from-id {next}\n"),
            None => String::new(),
        };
        if self.tools.is_empty() {
            let message = if self.next.is_some() {
                "no matching tools in these ids"
            } else {
                "no matching tools"
            };
            let ids = if self.count == U256::ONE { "id" } else { "ids" };
            return format!(
                "{message}; registry {} has assigned {} {ids}\n{more}",
                self.registry, self.count
            );
        }
        let hint = match self.tools.iter().find(|tool| tool.absence().is_none()) {
            Some(tool) => palette.next(&format!("atr tool inspect {}", tool.id)),
            None => String::new(),
        };
        format!("{}{more}{hint}", self.table(palette))
    }
}

fn as_text<S: Serializer>(value: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}
