//! Reads and reports, independent of a protocol: REST, MCP and the explorer give the same answers.

mod access;
mod changes;
mod list;
mod search;
mod tool;
mod usage;

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use atr_auth::{CHAINS, Network, Token};
use atr_http_server::KeyedRateLimiter;
use atr_rpc::Node;
use atr_search::SearchIndex;
use atr_store::index::{IndexStore, ToolKey};

pub use list::{ListParameters, ListSort, Source};
pub use search::{PriceLimit, SearchParameters, SearchSort};
pub use tool::Overview;

use self::access::AccessChecker;
use crate::model::Status;

/// Time between two requested re-checks of a tool.
const RECHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Why a request has no result. Only the last is the server's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A parameter breaks a rule.
    #[error("{parameter}: {rule}")]
    #[expect(missing_docs, reason = "plain data")]
    Invalid { parameter: String, rule: String },
    /// The registry has not assigned the id, or the registry is not indexed.
    #[error("the index has no such tool")]
    NotFound,
    /// The creator deregistered the tool.
    #[error("the tool was deregistered")]
    #[expect(missing_docs, reason = "plain data")]
    Gone { tool_ref: String },
    /// Too many requests of this kind.
    #[error("too many requests; try again in {seconds} s")]
    #[expect(missing_docs, reason = "plain data")]
    TooMany { seconds: u64 },
    /// The database or the search index failed.
    #[error("the index is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    pub(crate) fn invalid(parameter: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Invalid {
            parameter: parameter.into(),
            rule: rule.into(),
        }
    }
}

impl From<atr_store::Error> for Failure {
    fn from(error: atr_store::Error) -> Self {
        match error {
            atr_store::Error::InvalidCursor => Self::invalid(
                "cursor",
                "must be `next` of the previous page, with the same filters",
            ),
            other => Self::Unavailable(other.into()),
        }
    }
}

impl From<atr_search::Error> for Failure {
    fn from(error: atr_search::Error) -> Self {
        Self::Unavailable(error.into())
    }
}

/// The index as it is served. Cheap to clone.
#[derive(Clone)]
pub struct Catalog(Arc<Inner>);

struct Inner {
    store: Arc<dyn IndexStore>,
    search: Arc<SearchIndex>,
    /// By chain id. For access checks and settlements; without a node, their outcome is unknown.
    nodes: HashMap<u64, Node>,
    access: AccessChecker,
    /// Tokens whose authorizations prove usage.
    tokens: Vec<Token>,
    rechecks: KeyedRateLimiter<ToolKey>,
    clock: fn() -> u64,
}

impl Catalog {
    /// Serves a database and its search index. `clock` gives seconds since 1970.
    #[must_use]
    pub fn new(store: Arc<dyn IndexStore>, search: Arc<SearchIndex>, clock: fn() -> u64) -> Self {
        let usdc = CHAINS
            .iter()
            .filter_map(|chain| Token::usdc(Network::from_chain_id(chain.chain_id)?));
        Self(Arc::new(Inner {
            store,
            search,
            nodes: HashMap::new(),
            access: AccessChecker::default(),
            tokens: usdc.collect(),
            rechecks: KeyedRateLimiter::once_per(RECHECK_INTERVAL),
            clock,
        }))
    }

    /// Uses these nodes, by chain id, for access checks and settlements.
    #[must_use]
    pub fn with_nodes(self, nodes: HashMap<u64, Node>) -> Self {
        self.map(|inner| inner.nodes = nodes)
    }

    /// Accepts authorizations of these tokens as a proof of usage, beside those of USDC.
    #[must_use]
    pub fn with_tokens(self, tokens: Vec<Token>) -> Self {
        self.map(|inner| inner.tokens.extend(tokens))
    }

    fn map(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = self.0;
        if let Some(inner) = Arc::get_mut(&mut inner) {
            change(inner);
        }
        Self(inner)
    }

    /// The database.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn IndexStore> {
        &self.0.store
    }

    /// The search index.
    #[must_use]
    pub fn search_index(&self) -> &Arc<SearchIndex> {
        &self.0.search
    }

    fn now(&self) -> u64 {
        (self.0.clock)()
    }

    /// State of the index.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn status(&self) -> Result<Status, Failure> {
        let status = self.store().status(self.now()).await?;
        let sequence = u64::try_from(self.0.search.sequence()).unwrap_or_default();
        Ok(Status::new(&status, sequence))
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog")
            .field("search", &self.0.search)
            .field("chains", &self.0.nodes.keys())
            .finish_non_exhaustive()
    }
}
