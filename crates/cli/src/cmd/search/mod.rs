//! `atr search`.

mod report;

use std::num::NonZeroU32;

use atr_api::{Failure, rest};
use clap::ValueEnum;
use url::form_urlencoded;

use self::report::SearchReport;
use crate::{
    args::AddressArg, cmd::index::SourceArgs, config::Source, context::Context, error::Error,
    outcome::Outcome, process::runtime,
};

/// Search for tools
///
/// Searches names, descriptions, tags and parameters of the tools of an index: that of a server (--api), or the local database that
/// `atr index` and `atr serve` fill. Partial words and typing errors are recognized. Only verified tools are found, unless --all
/// is used. --chain limits the search to the registries of a chain.
///
/// Exit codes: 0 found, 1 nothing found, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Words to search for [default: all tools]
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Only tools with this tag [repeatable: all of them]
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Only tools with this kind of access
    #[arg(long, value_name = "TYPE")]
    access: Option<AccessKind>,

    /// Only tools of this creator
    #[arg(long, value_name = "ADDRESS")]
    creator: Option<AddressArg>,

    /// Only free tools, and tools that cost at most this much USDC per call
    #[arg(long, value_name = "AMOUNT")]
    max_price: Option<String>,

    /// Only tools that this account may call now
    #[arg(long, value_name = "ADDRESS")]
    callable_by: Option<AddressArg>,

    /// Also tools that are not verified, after the verified ones
    #[arg(long)]
    all: bool,

    /// Order of results
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    sort: Order,

    /// Maximum number of results, up to 200
    #[arg(long, value_name = "NUMBER", default_value = "20")]
    limit: NonZeroU32,

    /// Continue after the page whose cursor this is
    #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
    cursor: Option<String>,

    #[command(flatten)]
    source: SourceArgs,
}

const EXAMPLES: &str = "\
Examples:
  atr search nft floor price
  atr search translate --max-price 0.01 --api https://index.example
  atr search --tag defi --callable-by 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 --sort newest";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AccessKind {
    /// Everyone
    Open,
    /// Any access predicate
    Gated,
    /// Holders of an NFT
    NftGated,
    /// Holders of a token balance
    TokenGated,
    /// Subscribers
    Subscription,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Best match first
    Relevance,
    /// Last registered first
    Newest,
    /// Most proven calls first
    MostUsed,
}

impl AccessKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Gated => "gated",
            Self::NftGated => "nft_gated",
            Self::TokenGated => "token_gated",
            Self::Subscription => "subscription",
        }
    }
}

impl Order {
    const fn name(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Newest => "newest",
            Self::MostUsed => "most_used",
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on_threads(args.search(context))?
}

impl Args {
    async fn search(&self, context: &Context) -> eyre::Result<Outcome> {
        let query = self.query(context);
        // Also before a request: the message names the flag.
        rest::search_parameters(&query).map_err(invalid)?;
        // Nothing else but access needs nodes.
        let source = self.source.open(context, self.callable_by.is_some());
        let page = source.await?.search(&query).await.map_err(invalid)?;
        let report = SearchReport::new(page, self.all);
        context.output.print(&report)?;
        Ok(report.outcome())
    }

    /// The query of the API.
    fn query(&self, context: &Context) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("query", &self.words.join(" "));
        for tag in &self.tag {
            query.append_pair("tags", tag);
        }
        let chain = &context.settings.chain;
        let chain = chain
            .value
            .filter(|_| matches!(chain.source, Source::Flag { .. }));
        for (name, value) in [
            (
                "access_type",
                self.access.map(|access| access.name().to_owned()),
            ),
            (
                "creator",
                self.creator.map(|AddressArg(creator)| creator.to_string()),
            ),
            ("max_price", self.max_price.clone()),
            (
                "callable_by",
                self.callable_by
                    .map(|AddressArg(account)| account.to_string()),
            ),
            ("registry_chain", chain.map(|chain| chain.id().to_string())),
            ("include_unverified", self.all.then(|| "true".to_owned())),
            ("cursor", self.cursor.clone()),
        ] {
            if let Some(value) = value {
                query.append_pair(name, &value);
            }
        }
        query.append_pair("sort_by", self.sort.name());
        query.append_pair("limit", &self.limit.to_string());
        query.finish()
    }
}

fn invalid(failure: Failure) -> eyre::Report {
    match failure {
        Failure::Invalid { parameter, rule } => Error::SearchParameter {
            flag: match parameter.as_str() {
                "query" => "WORDS".to_owned(),
                "tags" => "--tag".to_owned(),
                "access_type" => "--access".to_owned(),
                other => format!("--{}", other.replace('_', "-")),
            },
            rule,
        }
        .into(),
        // The error of a server says which one.
        Failure::Unavailable(error) => match error.downcast::<Error>() {
            Ok(error) => (*error).into(),
            Err(error) => Failure::Unavailable(error).into(),
        },
        other => other.into(),
    }
}
