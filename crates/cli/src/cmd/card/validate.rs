//! `atr card validate`.

use std::path::PathBuf;

use atr_manifest::Document;

use crate::{
    args::DocumentKind,
    cmd::card::{
        report::{CardReport, ProfileArg},
        source::{CardArgs, VerbArgs},
    },
    context::Context,
    error::Error,
    outcome::Outcome,
};

/// Validate an Agent Card
///
/// Checks the card against the specification's text and against both lines of published cards, and looks for content that cards must
/// not have: credentials, private addresses, personal data and code. Prints the verdict of every profile, and each difference from one
/// of them with a JSON pointer, line and column, the value found, the value expected and a fix. JSON output has the differences from
/// every profile. Nothing but the card is fetched: ENS records and schemas are not compared.
///
/// Exit codes: 0 the profile is satisfied, 1 it is violated, 2 usage error, 3 the card cannot be read or judged.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    card: CardArgs,

    /// Rules that decide the outcome
    #[arg(long, value_name = "PROFILE", default_value = "spec")]
    profile: ProfileArg,

    /// Previous release: list the changes, and fail if they did not move updated_at
    #[arg(long, value_name = "FILE|URL")]
    previous: Option<PathBuf>,

    #[command(flatten)]
    verbs: VerbArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let (source, bytes) = args.card.read(context)?;
    let document = Document::parse(bytes.clone());
    let mut report = CardReport::check(
        source.name(),
        bytes,
        args.profile.into(),
        &args.verbs.config(),
    );
    if let (Some(previous), Ok(document)) = (&args.previous, &document) {
        let (source, bytes) = args.card.read_other(previous, context)?;
        let previous = Document::parse(bytes).map_err(|error| Error::NotADocument {
            name: source.name(),
            kind: DocumentKind::Card,
            source: error,
        })?;
        report = report.with_previous(source.name(), &previous, document);
    }
    context.output.print(&report)?;
    Ok(report.outcome())
}
