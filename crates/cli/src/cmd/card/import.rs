//! `atr card import`.

use std::path::{Path, PathBuf};

use atr_agent_card::{
    Check, Config,
    bridge::{
        BridgeError, Converted, Difference, Draft, check_registration, import_a2a, import_erc8004,
    },
};
use atr_manifest::Document;
use clap::Subcommand;
use serde::Serialize;

use super::{
    export::RegistrationArgs,
    fields::{FieldArgs, with_defaults},
    report::CardReport,
    source::VerbArgs,
};
use crate::{
    args::{DocumentKind, DocumentSource, FetchArgs},
    context::Context,
    error::Error,
    outcome::Outcome,
    output::{Palette, Report, write_new},
};

/// Convert a document of another format to an Agent Card
///
/// A document that `atr card export` wrote contains the card, which is returned unchanged. From other documents the card gets what they
/// have in common; flags add the rest. What was left out is printed to standard error. The card is printed only if it follows the
/// specification: otherwise the violations are printed and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Format {
    A2a(Box<A2aArgs>),
    Erc8004(Box<Erc8004Args>),
}

/// Read an A2A 1.0 Agent Card: skills with the id of a verb become verbs
#[derive(Debug, clap::Args)]
struct A2aArgs {
    #[command(flatten)]
    import: ImportArgs,
}

/// Read an ERC-8004 registration file
#[derive(Debug, clap::Args)]
struct Erc8004Args {
    #[command(flatten)]
    import: ImportArgs,

    #[command(flatten)]
    registration: RegistrationArgs,
}

#[derive(Debug, clap::Args)]
struct ImportArgs {
    /// Document: a file, an https URL, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    source: PathBuf,

    #[command(flatten)]
    fields: FieldArgs,

    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    verbs: VerbArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

type Import = fn(&Document, Draft, &Config) -> Result<Converted, BridgeError>;

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.format {
        Format::A2a(args) => {
            let document = args.import.read(DocumentKind::A2aCard, context)?;
            args.import.convert(&document, import_a2a, context)
        }
        Format::Erc8004(args) => {
            let registration = args.registration.registration()?;
            let document = args.import.read(DocumentKind::RegistrationFile, context)?;
            if let Some(registration) = &registration
                && let Check::Mismatch { found, expected } =
                    check_registration(&document, registration)
            {
                return Err(Error::BackReference { found, expected }.into());
            }
            args.import.convert(&document, import_erc8004, context)
        }
    }
}

impl ImportArgs {
    fn read(&self, kind: DocumentKind, context: &Context) -> eyre::Result<Document> {
        let (source, bytes) = DocumentSource::open(&self.source, kind, &self.fetch, context)?;
        let document = Document::parse(bytes).map_err(|error| Error::NotADocument {
            name: source.name(),
            kind,
            source: error,
        })?;
        Ok(document)
    }

    fn convert(
        &self,
        document: &Document,
        import: Import,
        context: &Context,
    ) -> eyre::Result<Outcome> {
        let config = self.verbs.config();
        // The version of the other document is better than the default.
        let mut draft = with_defaults(self.fields.draft());
        draft.version = self.fields.draft().version.or_else(|| {
            let version = document.root().get("version");
            let version = version.and_then(atr_manifest::Value::as_str);
            version.is_none().then(|| "1.0.0".to_owned())
        });
        let converted =
            import(document, draft, &config).map_err(|source| Error::Convert { source })?;
        let report = CardReport::of_draft(&converted.to_json(), &config);
        if !report.is_satisfied() {
            // The report lists what is missing.
            let (missing, others): (Vec<_>, Vec<_>) = converted
                .differences
                .into_iter()
                .partition(|difference| difference.code == "missing");
            warn(&others, context);
            context
                .output
                .print_refusal(&report, "the card would be invalid")?;
            let flags = missing.iter().filter_map(flag_of).collect::<Vec<_>>();
            if !flags.is_empty() {
                let hint = format!("add the missing values with {}", flags.join(", "));
                context.output.print_warning(&hint);
            }
            return Ok(report.outcome());
        }
        print_converted(converted, self.output.as_deref(), context)?;
        Ok(Outcome::Success)
    }
}

/// The flag that gives a missing value. Other members follow from these.
fn flag_of(difference: &Difference) -> Option<&'static str> {
    Some(match difference.pointer.as_str() {
        "/ens" => "--ens",
        "/owner" => "--owner",
        "/implements" => "--verb",
        "/display_name" => "--display-name",
        "/description" => "--description",
        _ => return None,
    })
}

/// The new document and what differs.
#[derive(Debug, Serialize)]
struct ConvertedReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(flatten)]
    converted: Converted,
}

impl Report for ConvertedReport {
    const IS_FILE: bool = true;

    fn render(&self, palette: &Palette) -> String {
        match &self.file {
            Some(file) => format!("{} {}\n", palette.heading("Wrote"), file.display()),
            None => self.converted.to_json(),
        }
    }
}

/// Prints the document or writes it to a file, and the differences as warnings.
pub(super) fn print_converted(
    converted: Converted,
    output: Option<&Path>,
    context: &Context,
) -> eyre::Result<()> {
    if let Some(file) = output {
        write_new(file, converted.to_json().as_bytes())?;
    }
    warn(&converted.differences, context);
    context.output.print(&ConvertedReport {
        file: output.map(Path::to_owned),
        converted,
    })?;
    Ok(())
}

fn warn(differences: &[Difference], context: &Context) {
    for difference in differences {
        let Difference {
            code,
            pointer,
            message,
        } = difference;
        context
            .output
            .print_warning(&format!("{pointer} {code}: {message}"));
    }
}
