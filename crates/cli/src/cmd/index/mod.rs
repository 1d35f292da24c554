//! `atr index`: follows registries and verifies their tools.

mod database;
mod rebuild;
mod report;
mod source;
mod status;

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

use atr_deploy::Suite;
use atr_ids::AccountId;
use atr_indexer::{IndexedRegistry, Indexer, IndexerOptions, VerificationOptions};
use atr_registry::{REFERENCE_CHAINS, REFERENCE_REGISTRY, Registry};
use atr_store::index::{IndexStore, open};
use clap::Subcommand;

pub(super) use self::{report::observer, source::SourceArgs};

use crate::{
    args::{Chain, FetchArgs},
    context::Context,
    error::Error,
    network::{node, registry},
    outcome::Outcome,
    process::{clock, runtime},
};

/// Index registries and verify their tools
///
/// Reads the events of the configured registry, or of the registries given as CAIP-10 ids (eip155:8453:0x…), verifies the manifests of
/// the tools, and writes both to a database. Without --follow, stops at the head of the chain when nothing is due.
///
/// Several registries and chains can be indexed by one process; the RPC URL of each chain comes from foundry.toml. One process at a time
/// indexes into a database: another waits with --follow, and takes over when the first ends.
///
/// A registry is halted, and the reason shown by `atr index status`, if its code changes, if the node does not return all events, or if
/// a reorg is deeper than --retained-depth.
///
/// Exit codes: 0 caught up or interrupted, 1 a registry was halted, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Cmd>,

    #[command(flatten)]
    run: Box<RunArgs>,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    Status(status::Args),
    Rebuild(rebuild::Args),
}

/// The database of the index.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct DatabaseArgs {
    /// Database of the index: a postgres:// URL, or the path of an SQLite file [default: index.sqlite in the state directory]
    ///
    /// A URL with a password belongs in ATR_DATABASE_URL: other users can see the arguments of a process.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Registries to index, as eip155:<chain>:<address> [default: the configured registry]
    #[arg(value_name = "REGISTRY")]
    registries: Vec<AccountId>,

    /// Continue with new blocks until interrupted
    #[arg(long)]
    follow: bool,

    #[command(flatten)]
    database: DatabaseArgs,

    #[command(flatten)]
    options: IndexArgs,
}

/// How to index. Shared with commands that index beside something else.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct IndexArgs {
    /// First block, when a registry is indexed for the first time
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    from_block: u64,

    /// Number of blocks that must follow a block before it is indexed
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    confirmations: u64,

    /// Reorgs of at most this many blocks are undone
    #[arg(long, value_name = "NUMBER", default_value_t = 256)]
    retained_depth: u64,

    /// Polling interval
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    interval: u64,

    /// Do not fetch and verify manifests
    #[arg(long)]
    no_verify: bool,

    /// Verifications at a time
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    concurrency: NonZeroUsize,

    /// Compare the prices that endpoints ask for with their manifests
    ///
    /// Calls each gated or priced tool once per verification, with an empty body and without credentials. Open tools are not called.
    #[arg(long)]
    probe_prices: bool,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Some(Cmd::Status(args)) => runtime::block_on(status::run(args, context))?,
        Some(Cmd::Rebuild(args)) => runtime::block_on(rebuild::run(args, context))?,
        None => runtime::block_on(args.run.run(context))?,
    }
}

impl Args {
    /// Whether the command runs until it is stopped.
    pub(super) fn is_server(&self) -> bool {
        self.command.is_none() && self.run.follow
    }
}

impl DatabaseArgs {
    /// Opens the database and creates it if it does not exist.
    pub(crate) async fn open(&self, context: &Context) -> eyre::Result<Arc<dyn IndexStore>> {
        let url = match self.url(context)? {
            Some(url) => url,
            None => {
                let path = context.index_file()?;
                create_folder(&path)?;
                path.display().to_string()
            }
        };
        open(&url, clock::now)
            .await
            .map_err(|source| Error::IndexDatabase { source }.into())
    }
}

fn create_folder(path: &std::path::Path) -> Result<(), Error> {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    std::fs::create_dir_all(&folder).map_err(|source| Error::StateFolder { folder, source })
}

impl RunArgs {
    async fn run(&self, context: &Context) -> eyre::Result<Outcome> {
        let store = self.database.open(context).await?;
        let registries = self.options.registries(context, &self.registries).await?;
        let observer = observer(context);
        let indexer = self
            .options
            .indexer(context, store.clone(), registries)?
            .with_observer(observer);
        if self.follow {
            indexer.run(interrupted()).await?;
        } else {
            indexer.run_once().await?;
        }
        let status = store.status(clock::now()).await?;
        context
            .output
            .print(&report::StatusReport::new(&status, clock::now()))?;
        Ok(report::outcome(&status))
    }
}

impl Default for IndexArgs {
    /// The defaults of the flags.
    fn default() -> Self {
        let command = <Self as clap::Args>::augment_args(clap::Command::new("index"));
        let matches = command.get_matches_from(["index"]);
        clap::FromArgMatches::from_arg_matches(&matches).expect("every flag has a default")
    }
}

impl IndexArgs {
    /// The registries to index: the named ones, or the configured one.
    pub(crate) async fn registries(
        &self,
        context: &Context,
        named: &[AccountId],
    ) -> eyre::Result<Vec<IndexedRegistry>> {
        let mut registries = Vec::new();
        if named.is_empty() {
            registries.push(registry::connect(context).await?);
        }
        for id in named {
            let invalid = || Error::RegistryId { id: id.to_string() };
            let chain: u64 = id
                .chain()
                .strip_prefix("eip155:")
                .and_then(|chain| chain.parse().ok())
                .ok_or_else(invalid)?;
            let address = atr_ids::parse_address(id.address()).map_err(|_| invalid())?;
            let node = node::connect_on(context, Some(Chain::new(chain)))?;
            node.chain_id(Some(chain)).await?;
            registries.push(Registry::new(node.provider().clone(), address, chain));
        }
        let ours = Suite::new(alloy_primitives::B256::ZERO).registry();
        let label = |registry: Registry| {
            let (chain, address) = (registry.chain_id(), registry.address());
            let is_reference = address == REFERENCE_REGISTRY && REFERENCE_CHAINS.contains(&chain);
            let name = if is_reference {
                "reference"
            } else if address == ours {
                "ours"
            } else {
                "unknown"
            };
            IndexedRegistry {
                name: format!("{name} on {}", Chain::new(chain)),
                // K-05: pinned addresses only.
                is_canonical: is_reference || address == ours,
                registry,
                first_block: self.from_block,
            }
        };
        Ok(registries.into_iter().map(label).collect())
    }

    /// An indexer with these settings.
    pub(crate) fn indexer(
        &self,
        context: &Context,
        store: Arc<dyn IndexStore>,
        registries: Vec<IndexedRegistry>,
    ) -> eyre::Result<Indexer> {
        let mut options = IndexerOptions {
            poll_interval: Duration::from_secs(self.interval.max(1)),
            verification: (!self.no_verify).then(|| VerificationOptions {
                concurrency: self.concurrency,
                probes_prices: self.probe_prices,
                ..VerificationOptions::default()
            }),
            ..IndexerOptions::default()
        };
        options.stream.confirmations = self.confirmations;
        options.stream.retained_depth = self.retained_depth;
        let http = self.fetch.client(context)?;
        Ok(Indexer::new(store, registries, http, options, clock::now))
    }
}

/// Completes on SIGINT or SIGTERM.
async fn interrupted() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
