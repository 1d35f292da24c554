//! `atr card bind`.

use std::collections::BTreeMap;

use atr_agent_card::{
    Card, Profile, Status,
    cid::{Dag, IpfsPath, Leaves},
    txt, validate,
};
use atr_ids::{HttpsUrl, ToolRef, excerpt};
use atr_manifest::Document;
use atr_rpc::{BlockView, Ens, EnsName, set_text_calls};
use atr_verify::card::TxtRecord;
use serde::Serialize;

use super::source::{CardArgs, VerbArgs};
use crate::{
    args::{DocumentKind, DocumentSource, EnsArgs, SendArgs, ToolArg},
    context::Context,
    error::Error,
    network::ens,
    outcome::Outcome,
    output::{Palette, Report},
    process::runtime,
    transaction::{Confirmation, Sender, TransactionReport},
};

/// Set the TXT records that bind an ENS name to its Agent Card
///
/// Computes the six records from the card: entry, URL, CID, IPFS location, SHA-256 and owner. Publish the card first, byte for byte: the
/// CID and the checksum are those of these bytes. Records that the name has already are not sent again. All others are set in one
/// transaction, multicall(bytes[]) of the name's resolver.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 the card is invalid, reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr card bind summarizeagent.eth.json --print\n  \
    atr card bind summarizeagent.eth.json --tool eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7\n  \
    atr card bind summarizeagent.eth.json --safe batch.json")]
pub(crate) struct Args {
    #[command(flatten)]
    card: CardArgs,

    /// https URL that serves the card [default: its $id]
    #[arg(long, value_name = "URL")]
    card_url: Option<HttpsUrl>,

    /// IPFS location of the card, such as ipfs://<cid>/agents/card.json [default: a file with raw leaves, as importers add it]
    #[arg(long, value_name = "LOCATION")]
    ipfs_location: Option<IpfsPath>,

    /// Tool that the agent offers for all its verbs, as eip155:<chain>/erc8257:<registry>/<id>: also sets the record erc8257.tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<ToolArg>,

    /// Print the records; needs no node
    #[arg(long, conflicts_with_all = ["not_sent", "one_by_one"])]
    print: bool,

    /// Send one transaction for each record, for resolvers without multicall
    #[arg(long)]
    one_by_one: bool,

    #[command(flatten)]
    verbs: VerbArgs,

    #[command(flatten)]
    ens: EnsArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    // Reads a URL with a runtime of its own.
    let (source, bytes) = args.card.read(context)?;
    runtime::block_on(args.bind(source, bytes, context))?
}

/// The records of a name.
#[derive(Debug, Serialize)]
struct RecordsReport {
    name: String,
    records: Vec<TxtRecord>,
}

impl Report for RecordsReport {
    fn render(&self, _: &Palette) -> String {
        let records = self.records.iter();
        records
            .map(|TxtRecord { key, value }| format!("{key:<26}  {value}\n"))
            .collect()
    }
}

fn to_list(records: BTreeMap<String, String>) -> Vec<TxtRecord> {
    let records = records.into_iter();
    records
        .map(|(key, value)| TxtRecord { key, value })
        .collect()
}

impl Args {
    async fn bind(
        &self,
        source: DocumentSource,
        bytes: Vec<u8>,
        context: &Context,
    ) -> eyre::Result<Outcome> {
        let document = Document::parse(bytes.clone()).map_err(|error| Error::NotADocument {
            name: source.name(),
            kind: DocumentKind::Card,
            source: error,
        })?;
        let report = validate(&document, &self.verbs.config());
        let report = report.profile(Profile::Spec);
        if report.status == Status::Unknown {
            return Err(Error::CardUnknown {
                name: source.name(),
            }
            .into());
        }
        if report.status == Status::Violated {
            let (name, count) = (source.name(), report.violations.len());
            return Err(Error::InvalidCard { name, count }.into());
        }
        let card = Card::new(&document);
        let ens = card.ens().unwrap_or_default();
        let name: EnsName = ens
            .parse()
            .map_err(crate::args::InvalidValue::from)
            .map_err(|reason| Error::InvalidField {
                flag: "ens",
                reason: reason.to_string(),
            })?;
        if name.as_str() != ens {
            return Err(Error::InvalidField {
                flag: "ens",
                reason: format!("`{}` is not normalized; use {name}", excerpt(ens)),
            }
            .into());
        }
        let records = self.records(card, &bytes)?;
        if self.print {
            let (name, records) = (name.to_string(), to_list(records));
            context.output.print(&RecordsReport { name, records })?;
            return Ok(Outcome::Success);
        }
        self.set(&name, records, context).await
    }

    fn records(&self, card: Card<'_>, bytes: &[u8]) -> eyre::Result<BTreeMap<String, String>> {
        let id = || card.text("$id").and_then(|id| id.parse().ok());
        let url = self.card_url.clone().or_else(id);
        let url = url.ok_or_else(|| Error::InvalidField {
            flag: "--card-url",
            reason: "the card has no https URL as $id".to_owned(),
        })?;
        let location = match &self.ipfs_location {
            Some(location) => location.clone(),
            None => {
                let dag = Dag::of_file(bytes, Leaves::Raw);
                let dag = dag.ok_or_else(|| Error::InvalidField {
                    flag: "--ipfs-location",
                    reason: "the card is too large for one".to_owned(),
                })?;
                let (cid, path) = (*dag.root(), String::new());
                IpfsPath { cid, path }
            }
        };
        let records = txt::records_of(card, bytes, &url, &location);
        let records = records.into_iter().flatten();
        let mut records: BTreeMap<_, _> = records
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        if let Some(tool) = &self.tool {
            let ToolArg::Reference(tool) = tool else {
                return Err(Error::InvalidField {
                    flag: "--tool",
                    reason: "use the whole reference, eip155:<chain>/erc8257:<registry>/<id>"
                        .to_owned(),
                }
                .into());
            };
            let tool: &ToolRef = tool;
            records.insert(txt::TOOL.to_owned(), tool.to_string());
        }
        Ok(records)
    }

    async fn set(
        &self,
        name: &EnsName,
        records: BTreeMap<String, String>,
        context: &Context,
    ) -> eyre::Result<Outcome> {
        let node = ens::connect(&self.ens, context)?;
        let chain_id = node.chain_id(None).await?;
        let registry = ens::registry(&self.ens, context, chain_id, name)?;
        let view = BlockView::latest(node.provider());
        let http = self.card.fetch().client(context)?;
        let names = Ens::connect(view, registry, http).await?;
        let failed = |error| ens::failed(name, error);
        let resolver = names.resolver(name).await.map_err(failed)?;
        if resolver.is_parents() {
            return Err(Error::EnsName {
                name: name.to_string(),
                reason: "the name has no resolver of its own, whose records could be set"
                    .to_owned(),
            }
            .into());
        }
        let mut changes = Vec::new();
        for (key, value) in &records {
            if resolver.text(key).await.map_err(failed)? != *value {
                changes.push((key.clone(), value.clone()));
            }
        }
        let owner = names.owner(name).await.map_err(failed)?;
        let sender = Sender::on_node(&self.send, context, node.clone(), chain_id, None).await?;
        let from = sender.address().unwrap_or(owner);
        let mut report = TransactionReport {
            lines: vec![
                ("name", name.to_string()),
                ("resolver", resolver.address().to_string()),
            ],
            next: Some(format!("atr card resolve {name}")),
            ..TransactionReport::default()
        };
        for (key, value) in &changes {
            report.lines.push(("set", format!("{key} = {value}")));
        }
        report.records = to_list(records);
        if changes.is_empty() {
            report.up_to_date = Some("up to date: nothing to send".to_owned());
            context.output.print(&report)?;
            return Ok(Outcome::Success);
        }
        let to = resolver.address();
        for call in set_text_calls(to, name, &changes, self.one_by_one) {
            report.planned.push(sender.plan(call, from).await?);
        }
        sender
            .execute_and_print(report, &Confirmation::Question("Set the records?"))
            .await
    }
}
