//! `atr serve`.

mod report;

use std::{net::SocketAddr, num::NonZeroU32, sync::Arc};

use atr_api::{
    Catalog, Follower, open_search_index,
    server::{Server, ServerConfig, router},
};
use atr_ids::AccountId;
use atr_search::SearchIndex;
use atr_store::index::IndexStore;
use ipnet::IpNet;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

use self::report::ServeReport;
use crate::{
    cmd::index::{DatabaseArgs, IndexArgs, observer},
    context::Context,
    error::Error,
    network::node,
    outcome::Outcome,
    process::{clock, runtime},
};

/// How many requests of a client may come at once, relative to its rate.
const BURST: u32 = 4;

/// Serve the index over HTTP
///
/// Serves the REST API of an index: list, search and get tools, why a tool is or is not verified, a change feed, and usage reports.
/// /api/openapi.json describes it. Verified tools only, unless a request asks for others. No API key is needed.
///
/// This process indexes registries into the database and verifies their tools, as `atr index --follow` does, unless --no-index is used;
/// then another process fills the database. Any number of servers can share one PostgreSQL database: one of them indexes, and another takes
/// over when it dies. Each has a search index of its own, which follows the database.
///
/// SIGTERM and SIGINT finish the requests in progress.
///
/// Exit codes: 0 stopped by a signal, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Address to listen at
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8257")]
    listen: SocketAddr,

    /// Do not index: another process fills the database
    #[arg(long)]
    no_index: bool,

    /// Requests per second of a client address; 0 for no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    rate_limit: u32,

    /// Network of a proxy in front, such as 10.0.0.0/8; its X-Forwarded-For and X-Request-Id headers are used [repeatable]
    #[arg(long, value_name = "NETWORK", value_delimiter = ',')]
    trusted_proxy: Vec<IpNet>,

    /// Registries to index, as eip155:<chain>:<address> [default: the configured registry]
    #[arg(value_name = "REGISTRY", conflicts_with = "no_index")]
    registries: Vec<AccountId>,

    #[command(flatten)]
    database: DatabaseArgs,

    #[command(flatten)]
    options: IndexArgs,
}

const EXAMPLES: &str = "\
Examples:
  atr serve --chain base --registry opensea
  atr serve --no-index --listen 0.0.0.0:8257 --database-url postgres://atr@db.example/atr --trusted-proxy 10.0.0.0/8";

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on_threads(args.serve(context))?
}

impl Args {
    async fn serve(&self, context: &Context) -> eyre::Result<Outcome> {
        // Before anything else: a signal during the start must not be lost.
        let mut terminate = listen(SignalKind::terminate())?;
        let mut interrupt = listen(SignalKind::interrupt())?;
        let server = Server::bind(self.listen).await?;
        let store = self.database.open(context).await?;
        let registries = if self.no_index {
            Vec::new()
        } else {
            self.options.registries(context, &self.registries).await?
        };
        let names = registries.iter().map(|registry| registry.name.clone());
        let names: Vec<_> = names.collect();
        let indexer = if self.no_index {
            None
        } else {
            Some(self.options.indexer(context, store.clone(), registries)?)
        };
        let search = self.search_index(context, &*store)?;
        let follower = Arc::new(Follower::new(store.clone(), search.clone()));
        let (caught_up, is_caught_up) = watch::channel(false);
        let catalog = Catalog::new(store.clone(), search, clock::now)
            .with_nodes(node::connect_all(context, &*store).await?);
        let router = router(catalog, follower.subscribe(), is_caught_up, &self.config());

        context.output.print(&ServeReport {
            url: format!("http://{}", server.address()),
            database: self.database.describe(context)?,
            registries: names,
        })?;
        let (stop, stopping) = watch::channel(false);
        let indexing = indexer.map(|indexer| {
            let indexer = indexer.with_observer(observer(context));
            let stopping = stopping.clone();
            tokio::spawn(async move {
                let ended = indexer.run(stopped(stopping)).await;
                if let Err(error) = &ended {
                    tracing::error!(%error, "indexing ended; the index is served as it is");
                }
                ended
            })
        });
        let following = tokio::spawn(async move {
            if let Err(error) = follower.catch_up().await {
                tracing::warn!(%error, "the search index could not be updated");
            }
            let _ = caught_up.send(true);
            follower.run().await;
        });
        let serving = tokio::spawn(server.serve(router, stopped(stopping)));
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("finishing the requests in progress");
        let _ = stop.send(true);
        // Ends the event streams, too: they wait for its news.
        following.abort();
        let is_finished = serving.await?;
        if let Some(indexing) = indexing {
            indexing.await??;
        }
        Ok(if is_finished {
            Outcome::Success
        } else {
            Outcome::Unknown
        })
    }

    fn config(&self) -> ServerConfig {
        let rate = NonZeroU32::new(self.rate_limit);
        ServerConfig {
            rate_limit: rate.map(|rate| {
                (
                    rate,
                    rate.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1)),
                )
            }),
            trusted_proxies: self.trusted_proxy.clone(),
        }
    }

    /// In a folder, so that a restart does not build it anew; in memory if another server of this machine uses the folder.
    fn search_index(
        &self,
        context: &Context,
        store: &dyn IndexStore,
    ) -> eyre::Result<Arc<SearchIndex>> {
        let folder = self.database.search_folder(context)?;
        let index = open_search_index(store, Some(&folder)).and_then(|index| {
            let sequence = index.sequence();
            // Fails if another process writes it.
            index.apply([], sequence).map(|()| index)
        });
        Ok(Arc::new(match index {
            Err(atr_search::Error::Locked { path }) => {
                tracing::warn!(path = %path.display(), "another process uses the search index; building one in memory");
                open_search_index(store, None)?
            }
            other => other?,
        }))
    }
}

/// Completes when the server is to stop.
async fn stopped(mut stopping: watch::Receiver<bool>) {
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

fn listen(kind: SignalKind) -> Result<Signal, Error> {
    signal(kind).map_err(|source| Error::Signals { source })
}
