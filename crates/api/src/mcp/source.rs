//! Where the tools come from: the catalog of this process, or a server elsewhere.

use std::fmt::Debug;

use atr_ids::ToolRef;
use futures_util::future::BoxFuture;

use crate::{
    Catalog, Failure,
    model::{SearchPage, Tool, key},
    rest,
};

/// An index of tools. What it returns is untrusted: it can be anybody's server.
pub trait Source: Debug + Send + Sync {
    /// Searches. The query is that of `GET /api/v2/tools/search`.
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchPage, Failure>>;

    /// A tool in any state of verification.
    fn tool(&self, tool: ToolRef) -> BoxFuture<'_, Result<Tool, Failure>>;
}

impl Source for Catalog {
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchPage, Failure>> {
        Box::pin(async {
            let parameters = rest::search_parameters(query)?;
            Self::search(self, &parameters).await
        })
    }

    fn tool(&self, tool: ToolRef) -> BoxFuture<'_, Result<Tool, Failure>> {
        Box::pin(async move {
            let key = key(&tool.to_string()).ok_or(Failure::NotFound)?;
            Self::tool(self, key).await
        })
    }
}
