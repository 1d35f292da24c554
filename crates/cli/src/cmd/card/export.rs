//! `atr card export`.

use std::path::PathBuf;

use atr_agent_card::{
    Config, Profile,
    bridge::{A2aInterface, Converted, Erc8004Options, Registration, export_a2a, export_erc8004},
};
use atr_ids::{AccountId, HttpsUrl};
use atr_manifest::Document;
use clap::Subcommand;

use crate::{
    cmd::card::{import::print_converted, report::CardReport, source::CardArgs},
    context::Context,
    error::Error,
    outcome::Outcome,
    output::count_noun,
};

/// Convert an Agent Card to another format
///
/// The new document contains the whole card in an extension of its format, so `atr card import` gives the same card again. What the other
/// format cannot express, and what had to be assumed, is printed to standard error.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Format {
    A2a(A2aArgs),
    Erc8004(Erc8004Args),
}

/// Write an A2A 1.0 Agent Card: each verb becomes a skill
#[derive(Debug, clap::Args)]
struct A2aArgs {
    #[command(flatten)]
    card: CardArgs,

    /// https URL where the agent speaks A2A; the card's entry is only an identifier
    #[arg(long, value_name = "URL")]
    url: String,

    /// Protocol binding at this URL
    #[arg(long, value_name = "BINDING", default_value = "JSONRPC", value_parser = ["JSONRPC", "GRPC", "HTTP+JSON"])]
    binding: String,

    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Write an ERC-8004 registration file: ENS name and card become services
#[derive(Debug, clap::Args)]
struct Erc8004Args {
    #[command(flatten)]
    card: CardArgs,

    /// https URL of the card [default: its $id]
    #[arg(long, value_name = "URL")]
    card_url: Option<String>,

    /// https URL of a picture
    #[arg(long, value_name = "URL")]
    image: Option<String>,

    #[command(flatten)]
    registration: RegistrationArgs,

    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct RegistrationArgs {
    /// Identity registry that lists the agent, as CAIP-10 account
    #[arg(long, value_name = "CAIP-10", requires = "agent_id")]
    agent_registry: Option<String>,

    /// Id of the agent in the identity registry
    #[arg(long, value_name = "ID", requires = "agent_registry")]
    agent_id: Option<u64>,
}

impl RegistrationArgs {
    pub(super) fn registration(&self) -> Result<Option<Registration>, Error> {
        let (Some(registry), Some(agent_id)) = (&self.agent_registry, self.agent_id) else {
            return Ok(None);
        };
        // Addresses are written with checksums or in lower case.
        let registry = registry.to_lowercase();
        let agent_registry =
            registry
                .parse::<AccountId>()
                .map_err(|error| Error::InvalidField {
                    flag: "--agent-registry",
                    reason: error.to_string(),
                })?;
        Ok(Some(Registration {
            agent_registry,
            agent_id,
        }))
    }
}

fn url(flag: &'static str, text: &str) -> Result<HttpsUrl, Error> {
    text.parse()
        .map_err(|error: atr_ids::Error| Error::InvalidField {
            flag,
            reason: error.to_string(),
        })
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.format {
        Format::A2a(args) => {
            let interface = A2aInterface {
                url: url("--url", &args.url)?,
                protocol_binding: args.binding.clone(),
            };
            let Some(document) = read(&args.card, context)? else {
                return Ok(Outcome::Failure);
            };
            let converted = export_a2a(&document, &interface);
            finish(converted, args.output.as_deref(), context)
        }
        Format::Erc8004(args) => {
            let card_url = args.card_url.as_deref();
            let image = args.image.as_deref();
            let options = Erc8004Options {
                card_url: card_url.map(|text| url("--card-url", text)).transpose()?,
                image: image.map(|text| url("--image", text)).transpose()?,
                registrations: args.registration.registration()?.into_iter().collect(),
            };
            let Some(document) = read(&args.card, context)? else {
                return Ok(Outcome::Failure);
            };
            let converted = export_erc8004(&document, &options);
            finish(converted, args.output.as_deref(), context)
        }
    }
}

/// Reads a card. `None` after printing why it is not a document.
fn read(card: &CardArgs, context: &Context) -> eyre::Result<Option<Document>> {
    let (source, bytes) = card.read(context)?;
    let report = CardReport::check(
        source.name(),
        bytes.clone(),
        Profile::Spec,
        &Config::default(),
    );
    match Document::parse(bytes) {
        Ok(document) => {
            let violations = report.violations();
            if violations > 0 {
                context.output.print_warning(&format!(
                    "the card does not follow the specification: {}; run `atr card validate`",
                    count_noun(violations, "violation")
                ));
            }
            Ok(Some(document))
        }
        Err(_) => {
            context
                .output
                .print_refusal(&report, "the card is not a JSON document")?;
            Ok(None)
        }
    }
}

fn finish(
    converted: Result<Converted, atr_agent_card::bridge::BridgeError>,
    output: Option<&std::path::Path>,
    context: &Context,
) -> eyre::Result<Outcome> {
    let converted = converted.map_err(|source| Error::Convert { source })?;
    print_converted(converted, output, context)?;
    Ok(Outcome::Success)
}
