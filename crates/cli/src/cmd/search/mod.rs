//! `atr search`.

mod report;

use std::{collections::HashMap, num::NonZeroU32, sync::Arc};

use atr_api::{Catalog, Failure, Follower, model::SearchPage, open_search_index, rest};
use atr_store::index::IndexStore;
use clap::ValueEnum;
use url::form_urlencoded;

use self::report::SearchReport;
use crate::{
    args::{AddressArg, ApiUrl},
    cmd::index::DatabaseArgs,
    config::Source,
    context::Context,
    error::Error,
    network::node,
    outcome::Outcome,
    process::{clock, runtime},
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

    /// Base URL of an index server, such as http://127.0.0.1:8257 [default: the local database]
    #[arg(long, value_name = "URL", conflicts_with = "database_url")]
    api: Option<ApiUrl>,

    #[command(flatten)]
    database: DatabaseArgs,
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
        let parameters = rest::search_parameters(&query).map_err(invalid)?;
        let api = self.api.as_ref().or(context.settings.api.value.as_ref());
        let page = match api.filter(|_| !self.database.is_set()) {
            Some(api) => fetch(context, api, &query).await?,
            None => {
                self.database.ensure_exists(context)?;
                let store = self.database.open(context).await?;
                let index =
                    open_search_index(&*store, Some(&self.database.search_folder(context)?))?;
                let index = Arc::new(index);
                catch_up(&store, &index).await?;
                let nodes = if self.callable_by.is_some() {
                    node::connect_all(context, &*store, []).await?
                } else {
                    HashMap::new()
                };
                let catalog = Catalog::new(store, index, clock::now).with_nodes(nodes);
                catalog.search(&parameters).await.map_err(invalid)?
            }
        };
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

/// Searches on a server.
async fn fetch(context: &Context, api: &ApiUrl, query: &str) -> eyre::Result<SearchPage> {
    let mut url = api.join("api/v2/tools/search");
    url.set_query(Some(query));
    let response = node::http_client(context)?.get(&url).await;
    let failed = |reason: String| Error::Api {
        url: api.to_string(),
        reason,
    };
    let response = response.map_err(|error| failed(error.to_string()))?;
    if !response.is_success() {
        let problem: Option<rest::Problem> = serde_json::from_slice(&response.body).ok();
        let reason = problem.map_or_else(
            || format!("status {}", response.status),
            |problem| problem.detail,
        );
        return Err(failed(reason).into());
    }
    let page = serde_json::from_slice(&response.body);
    Ok(page.map_err(|error| failed(format!("the response is not a page of results: {error}")))?)
}

/// A running `atr serve` keeps the search index up to date, and its state is used; otherwise it is updated here.
async fn catch_up(
    store: &Arc<dyn IndexStore>,
    index: &Arc<atr_search::SearchIndex>,
) -> eyre::Result<()> {
    match Follower::new(store.clone(), index.clone()).catch_up().await {
        Err(atr_api::FollowerError::Search(atr_search::Error::Locked { .. })) => {
            Ok(index.reload()?)
        }
        other => Ok(other?),
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
        other => other.into(),
    }
}
