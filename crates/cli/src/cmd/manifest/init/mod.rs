//! `atr manifest init`.

mod draft;
mod prompts;

use std::path::PathBuf;

use crate::{
    cmd::manifest::init::{
        draft::{Draft, Fields},
        prompts::Prompts,
    },
    context::Context,
    outcome::Outcome,
};

/// Create a manifest
///
/// Prompts for missing values on a terminal. Normalizes strings to NFC, the endpoint URL, and the address to lower case. Writes
/// the file atomically and never overwrites an existing file. The output names the URL to serve it at; complete `inputs` and
/// `outputs` (JSON Schema) before publishing. --price adds a `pricing` entry (x402, USDC).
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    atr manifest init --name 'NFT price oracle' --description 'Returns floor prices.' \\\n    \
    --endpoint https://tools.example.com/oracle --creator-address 0xYourAccount \\\n    \
    --price 0.01 --chain base")]
pub(crate) struct Args {
    /// Name, 1 to 128 characters
    #[arg(long)]
    name: Option<String>,

    /// Description, 1 to 500 characters
    #[arg(long)]
    description: Option<String>,

    /// https URL of the endpoint
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,

    /// Account that will register the tool
    #[arg(long, value_name = "ADDRESS")]
    creator_address: Option<String>,

    /// Slug, the last path segment of the manifest URL [default: from the name]
    #[arg(long)]
    slug: Option<String>,

    /// Price per call in USDC of --chain, for example 0.01 [default: free]
    #[arg(long, value_name = "AMOUNT")]
    price: Option<String>,

    /// Account that receives payments [default: the creator]
    #[arg(long, value_name = "ADDRESS")]
    recipient: Option<String>,

    /// Tag, for example ai, defi, nft, trading, image or security [repeatable]
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Output file [default: <slug>.json]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Prompt even if standard input is not a terminal
    #[arg(long)]
    interactive: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let fields = Fields {
        name: args.name.clone(),
        description: args.description.clone(),
        endpoint: args.endpoint.clone(),
        creator_address: args.creator_address.clone(),
        slug: args.slug.clone(),
        tags: args.tags.clone(),
        price: args.price.clone(),
        recipient: args.recipient.clone(),
        chain: context.settings.chain.value,
    };
    let draft = if args.interactive || Prompts::is_possible() {
        Prompts::new(context).complete(fields)?
    } else {
        Draft::from_fields(fields)?
    };
    match draft.write(args.output.as_deref())? {
        Ok(written) => {
            context.output.print(&written)?;
            Ok(Outcome::Success)
        }
        Err(report) => {
            let reason = "the manifest would be invalid";
            context.output.print_refusal(&report, reason)?;
            Ok(Outcome::Failure)
        }
    }
}
