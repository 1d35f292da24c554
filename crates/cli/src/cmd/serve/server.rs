//! The HTTP server of an index, and what runs beside it. Shared with `atr dev`.

use std::{net::SocketAddr, sync::Arc};

use atr_api::{
    Catalog, Follower, open_search_index,
    server::{Server, ServerConfig, ServerError, router},
};
use atr_indexer::{IndexedRegistry, Indexer};
use atr_search::SearchIndex;
use atr_store::index::IndexStore;
use tokio::sync::watch;

use crate::{
    cmd::index::{DatabaseArgs, IndexArgs, observer},
    context::Context,
    network::node,
    process::clock,
};

/// An open index.
#[derive(Debug)]
pub(in crate::cmd) struct Index {
    catalog: Catalog,
    /// `None`: another process fills the database.
    indexer: Option<Indexer>,
}

impl Index {
    /// Opens the database and its search index. With `options`, registries are indexed.
    pub(in crate::cmd) async fn open(
        context: &Context,
        database: &DatabaseArgs,
        options: Option<&IndexArgs>,
        registries: Vec<IndexedRegistry>,
    ) -> eyre::Result<Self> {
        let store = database.open(context).await?;
        let search = open_search(context, database, &*store)?;
        // The registries are not in a new database yet.
        let chains: Vec<_> = registries
            .iter()
            .map(|registry| registry.registry.chain_id())
            .collect();
        let nodes = node::connect_all(context, &*store, chains).await?;
        let indexer = match options {
            Some(options) => {
                let indexer = options.indexer(context, store.clone(), registries)?;
                Some(indexer.with_observer(observer(context)))
            }
            None => None,
        };
        let catalog = Catalog::new(store, search, clock::now).with_nodes(nodes);
        Ok(Self { catalog, indexer })
    }
}

/// In a folder, so that a restart does not build it anew; in memory if another server of this machine uses the folder.
fn open_search(
    context: &Context,
    database: &DatabaseArgs,
    store: &dyn IndexStore,
) -> eyre::Result<Arc<SearchIndex>> {
    let folder = database.search_folder(context)?;
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

/// A bound server.
#[derive(Debug)]
pub(in crate::cmd) struct IndexServer {
    server: Server,
    config: ServerConfig,
}

impl IndexServer {
    /// Listens at an address; port 0 chooses a free one. `/mcp` is used at this address, too.
    pub(in crate::cmd) async fn bind(
        address: SocketAddr,
        mut config: ServerConfig,
    ) -> Result<Self, ServerError> {
        let server = Server::bind(address, &config).await?;
        config.mcp = config.mcp.with_address(server.address());
        Ok(Self { server, config })
    }

    pub(in crate::cmd) fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Serves, updates the search index and, with an indexer, the database until `stopping` is true. Returns whether all requests
    /// were finished.
    pub(in crate::cmd) async fn serve(
        self,
        Index { catalog, indexer }: Index,
        stopping: watch::Receiver<bool>,
    ) -> eyre::Result<bool> {
        let search = catalog.search_index().clone();
        let follower = Arc::new(Follower::new(catalog.store().clone(), search));
        let (caught_up, is_caught_up) = watch::channel(false);
        let router = router(catalog, follower.subscribe(), is_caught_up, &self.config);
        let indexing = indexer.map(|indexer| {
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
        let serving = tokio::spawn(self.server.serve(router, stopped(stopping.clone())));
        stopped(stopping).await;
        // Ends the event streams, too: they wait for its news.
        following.abort();
        let is_finished = serving.await?;
        if let Some(indexing) = indexing {
            indexing.await??;
        }
        Ok(is_finished)
    }
}

/// Completes when the server is to stop.
async fn stopped(mut stopping: watch::Receiver<bool>) {
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}
