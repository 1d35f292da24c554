//! `atr serve`.

mod report;
mod server;

use std::{net::SocketAddr, num::NonZeroU32};

use atr_api::{
    mcp::McpAccess,
    server::{RateLimit, ServerConfig, TrustedProxies},
};
use atr_ids::AccountId;
use ipnet::IpNet;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

pub(super) use self::server::{Index, IndexServer};

use self::report::ServeReport;
use crate::{
    args::ApiUrl,
    cmd::index::{DatabaseArgs, IndexArgs},
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// How many requests of a client may come at once, relative to its rate.
const BURST: u32 = 4;

/// Serve the index over HTTP
///
/// Serves the REST API of an index: list, search and get tools, why a tool is or is not verified, a change feed, and usage reports.
/// /api/openapi.json describes it. Verified tools only, unless a request asks for others. No API key is needed. Agents read the index at
/// /mcp (Model Context Protocol, streamable HTTP); it never signs or pays.
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

    /// URL at which clients reach this server, such as that of a proxy: its host and origin may use /mcp, beside this machine
    #[arg(long, value_name = "URL")]
    public_url: Option<ApiUrl>,

    /// Origin of web pages that may use /mcp [repeatable]
    #[arg(long, value_name = "ORIGIN")]
    mcp_origin: Vec<ApiUrl>,

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
        let registries = if self.no_index {
            Vec::new()
        } else {
            self.options.registries(context, &self.registries).await?
        };
        let names = registries.iter().map(|registry| registry.name.clone());
        let names = names.collect();
        let server = IndexServer::bind(self.listen, self.config()).await?;
        let url = server.url();
        let options = (!self.no_index).then_some(&self.options);
        let index = Index::open(context, &self.database, options, registries).await?;

        context.output.print(&ServeReport {
            url,
            database: self.database.describe(context)?,
            registries: names,
        })?;
        let (stop, stopping) = watch::channel(false);
        let serving = tokio::spawn(server.serve(index, stopping));
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("finishing the requests in progress");
        let _ = stop.send(true);
        Ok(if serving.await?? {
            Outcome::Success
        } else {
            Outcome::Unknown
        })
    }

    fn config(&self) -> ServerConfig {
        let mut mcp = McpAccess::default();
        if let Some(url) = &self.public_url {
            mcp = mcp.with_public_url(url.url());
        }
        for origin in &self.mcp_origin {
            mcp = mcp.with_origin(origin.url());
        }
        let rate = NonZeroU32::new(self.rate_limit);
        ServerConfig {
            rate_limit: rate.map(|per_second| RateLimit {
                per_second,
                burst: per_second.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1)),
            }),
            trusted_proxies: TrustedProxies(self.trusted_proxy.clone()),
            mcp,
            ..ServerConfig::default()
        }
    }
}

fn listen(kind: SignalKind) -> Result<Signal, Error> {
    signal(kind).map_err(|source| Error::Signals { source })
}
