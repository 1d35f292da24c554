//! The index that a command reads: the local database, or the API of a server.

use std::{collections::HashMap, sync::Arc, time::Duration};

use atr_api::{
    Catalog, Failure, Follower, FollowerError,
    mcp::Source,
    model::{SearchPage, Tool},
    open_search_index, rest,
};
use atr_fetch::HttpClient;
use atr_ids::ToolRef;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use url::Url;

use super::DatabaseArgs;
use crate::{args::ApiUrl, context::Context, error::Error, network::node, process::clock};

/// Time between two looks for what another process wrote into the search index.
const RELOAD: Duration = Duration::from_secs(2);

/// The index that a command reads.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cmd) struct SourceArgs {
    /// Base URL of an index server, such as http://127.0.0.1:8257 [default: the local database]
    #[arg(long, value_name = "URL", conflicts_with = "database_url")]
    api: Option<ApiUrl>,

    #[command(flatten)]
    database: DatabaseArgs,
}

impl SourceArgs {
    /// Opens the index as it is now. Only with `has_nodes` the access of accounts can be checked.
    pub(in crate::cmd) async fn open(
        &self,
        context: &Context,
        has_nodes: bool,
    ) -> eyre::Result<Arc<dyn Source>> {
        if let Some(remote) = self.remote(context)? {
            return Ok(remote);
        }
        let (catalog, follower) = self.local(context, has_nodes).await?;
        catch_up(&catalog, &follower).await?;
        Ok(Arc::new(catalog))
    }

    /// Opens the index and keeps up with it as long as the process runs.
    pub(in crate::cmd) async fn follow(&self, context: &Context) -> eyre::Result<Arc<dyn Source>> {
        if let Some(remote) = self.remote(context)? {
            return Ok(remote);
        }
        let (catalog, follower) = self.local(context, true).await?;
        catch_up(&catalog, &follower).await?;
        let followed = catalog.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(RELOAD).await;
                if let Err(error) = catch_up(&followed, &follower).await {
                    tracing::warn!(%error, "the search index could not be updated");
                }
            }
        });
        Ok(Arc::new(catalog))
    }

    fn remote(&self, context: &Context) -> eyre::Result<Option<Arc<dyn Source>>> {
        let api = self.api.as_ref().or(context.settings.api.value.as_ref());
        let Some(api) = api.filter(|_| !self.database.is_set()) else {
            return Ok(None);
        };
        let http = node::http_client(context)?;
        let api = api.clone();
        Ok(Some(Arc::new(RemoteIndex { api, http })))
    }

    async fn local(&self, context: &Context, has_nodes: bool) -> eyre::Result<(Catalog, Follower)> {
        self.database.ensure_exists(context)?;
        let store = self.database.open(context).await?;
        let folder = self.database.search_folder(context)?;
        let index = Arc::new(open_search_index(&*store, Some(&folder))?);
        let nodes = if has_nodes {
            node::connect_all(context, &*store, []).await?
        } else {
            HashMap::new()
        };
        let follower = Follower::new(store.clone(), index.clone());
        let catalog = Catalog::new(store, index, clock::now).with_nodes(nodes);
        Ok((catalog, follower))
    }
}

/// A running `atr serve` keeps the search index up to date, and its state is used; otherwise it is updated here.
async fn catch_up(catalog: &Catalog, follower: &Follower) -> eyre::Result<()> {
    match follower.catch_up().await {
        Err(FollowerError::Search(atr_search::Error::Locked { .. })) => {
            Ok(catalog.search_index().reload()?)
        }
        other => Ok(other?),
    }
}

/// The API of a server.
#[derive(Debug)]
struct RemoteIndex {
    api: ApiUrl,
    http: HttpClient,
}

impl Source for RemoteIndex {
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchPage, Failure>> {
        let mut url = self.api.join("api/v2/tools/search");
        url.set_query(Some(query));
        Box::pin(self.get(url, "a page of results"))
    }

    fn tool(&self, tool: ToolRef) -> BoxFuture<'_, Result<Tool, Failure>> {
        let (chain, registry, id) = (tool.chain(), tool.registry(), tool.id());
        let url = self
            .api
            .join(&format!("api/v2/tools/{chain}/{registry}/{id}"));
        Box::pin(self.get(url, "a tool"))
    }
}

impl RemoteIndex {
    async fn get<T: DeserializeOwned>(&self, url: Url, what: &'static str) -> Result<T, Failure> {
        let failed = |reason: String| {
            let url = self.api.to_string();
            Failure::Unavailable(Error::Api { url, reason }.into())
        };
        let response = self.http.get(&url).await;
        let response = response.map_err(|error| failed(error.to_string()))?;
        if response.is_success() {
            let value = serde_json::from_slice(&response.body);
            return value.map_err(|error| failed(format!("the response is not {what}: {error}")));
        }
        let problem: Option<rest::Problem> = serde_json::from_slice(&response.body).ok();
        Err(match (response.status, problem) {
            (404, Some(problem)) if problem.kind == "urn:atr:tool-not-found" => Failure::NotFound,
            (410, Some(problem)) => Failure::Gone {
                tool_ref: problem.tool_ref.unwrap_or_default(),
            },
            (400, Some(problem)) if problem.parameter.is_some() => {
                let parameter = problem.parameter.unwrap_or_default();
                let rule = problem.detail.strip_prefix(&format!("{parameter}: "));
                Failure::Invalid {
                    rule: rule.unwrap_or(&problem.detail).to_owned(),
                    parameter,
                }
            }
            (_, Some(problem)) => failed(problem.detail),
            (status, None) => failed(format!("status {status}")),
        })
    }
}
