//! `atr card init`.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};

use atr_agent_card::{Checksum, Config, bridge::Converted};

use crate::{
    cmd::card::{
        fields::{FieldArgs, with_defaults},
        report::{CardReport, WrittenCard},
        source::VerbArgs,
    },
    context::Context,
    error::Error,
    outcome::Outcome,
    output::{prompt::ask, write_new},
};

/// Create an Agent Card
///
/// Prompts for missing values on a terminal. The entry follows from name and verb, the schemas from the verb, and the timestamps are
/// now. Writes the file atomically and never overwrites an existing file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    fields: FieldArgs,

    /// Output file [default: <ens>.json]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Prompt even if standard input is not a terminal
    #[arg(long)]
    interactive: bool,

    #[command(flatten)]
    verbs: VerbArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let config = args.verbs.config();
    let mut fields = args.fields.clone();
    if args.interactive || (io::stdin().is_terminal() && io::stderr().is_terminal()) {
        prompt(&mut fields, &config, context)?;
    }
    let required = [
        ("--ens", fields.ens.is_some()),
        ("--owner", fields.owner.is_some()),
        ("--verb", !fields.verbs.is_empty()),
        ("--display-name", fields.display_name.is_some()),
        ("--description", fields.description.is_some()),
    ];
    let missing = required.iter().filter(|(_, is_given)| !is_given);
    let flags: Vec<_> = missing.map(|(flag, _)| *flag).collect();
    if !flags.is_empty() {
        return Err(Error::MissingFields { flags }.into());
    }
    let (document, differences) = with_defaults(fields.draft()).into_card(&config);
    let card = Converted {
        document,
        differences,
    };
    let text = card.to_json();
    let report = CardReport::of_draft(&text, &config);
    if !report.is_satisfied() {
        let reason = "the card would be invalid";
        context.output.print_refusal(&report, reason)?;
        return Ok(Outcome::Failure);
    }
    let ens = fields.ens.unwrap_or_default();
    let file = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{ens}.json")));
    write_new(&file, text.as_bytes())?;
    context.output.print(&WrittenCard {
        file,
        sha256: Checksum::of(text.as_bytes()).to_string(),
        entry: card.document["entry"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    })?;
    Ok(Outcome::Success)
}

fn prompt(fields: &mut FieldArgs, config: &Config, context: &Context) -> Result<(), Error> {
    let invalid = |reason: String| {
        Err(Error::InvalidField {
            flag: "text",
            reason,
        })
    };
    let is_given = |text: &str| match text {
        "" => invalid("a value is required".to_owned()),
        _ => Ok(()),
    };
    let is_name = |text: &str| {
        let is_legal = |one: char| !one.is_whitespace() && !one.is_ascii_uppercase() && one != '/';
        if text.contains('.') && text.chars().all(is_legal) {
            Ok(())
        } else {
            invalid("use an ENS name in lower case, such as agent.eth".to_owned())
        }
    };
    let is_verb = |text: &str| match config.verbs.class_of(text) {
        Some(_) => Ok(()),
        None => {
            let known = config.verbs.commons.iter().chain(&config.verbs.commercial);
            let known: Vec<_> = known.map(String::as_str).collect();
            invalid(format!("not a canonical verb; known: {}", known.join(" ")))
        }
    };
    let output = &context.output;
    if fields.ens.is_none() {
        fields.ens = Some(ask(output, "ENS name", is_name)?);
    }
    if fields.owner.is_none() {
        fields.owner = Some(ask(output, "Owner (ENS name)", is_given)?);
    }
    if fields.verbs.is_empty() {
        fields.verbs.push(ask(output, "Verb", is_verb)?);
    }
    if fields.display_name.is_none() {
        fields.display_name = Some(ask(output, "Name", is_given)?);
    }
    if fields.description.is_none() {
        fields.description = Some(ask(output, "Description", is_given)?);
    }
    Ok(())
}
