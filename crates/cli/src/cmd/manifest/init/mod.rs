//! `atr manifest init`.

mod draft;
mod prompts;

use std::path::PathBuf;

use crate::{
    cmd::manifest::init::{
        draft::{Answers, Draft},
        prompts::Questions,
    },
    context::Context,
    outcome::Outcome,
};

/// Write a first manifest, valid from the start.
///
/// Asks for what is not given when a person is there to answer. Texts are brought to NFC, the endpoint to its normal form, the
/// address to lower case. The file is written whole or not at all, and never over another. Then serve it where the answer says,
/// and fill in `inputs` and `outputs` (JSON Schema).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the tool: 1 to 128 characters
    #[arg(long)]
    name: Option<String>,

    /// What it does: 1 to 500 characters
    #[arg(long)]
    description: Option<String>,

    /// https URL where it is called
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,

    /// Address that will register it
    #[arg(long, value_name = "ADDRESS")]
    creator_address: Option<String>,

    /// Its name on its origin: the end of the manifest's URL; made from the name if left out
    #[arg(long)]
    slug: Option<String>,

    /// Word to find it by; repeat for more. Surfaces filter by ai, defi, nft, trading, image and security
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// File to write; `<slug>.json` if left out
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Ask also when standard input is no terminal
    #[arg(long)]
    interactive: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let answers = Answers {
        name: args.name.clone(),
        description: args.description.clone(),
        endpoint: args.endpoint.clone(),
        creator_address: args.creator_address.clone(),
        slug: args.slug.clone(),
        tags: args.tags.clone(),
    };
    let draft = if args.interactive || Questions::can_be_asked() {
        Questions::new(context).complete(answers)?
    } else {
        Draft::of(answers)?
    };
    match draft.write(args.output.as_deref())? {
        Ok(written) => {
            context.output.present(&written)?;
            Ok(Outcome::Yes)
        }
        Err(verdict) => {
            context.output.present_aside(&verdict);
            Ok(Outcome::No)
        }
    }
}
