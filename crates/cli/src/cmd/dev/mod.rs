//! `atr dev`.

mod chain;
mod error;
mod facilitator;
mod program;
mod report;
mod sample;
mod tls;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use atr_gate::server::{App, Server, ServerConfig, TlsIdentity};
use tokio::{signal::unix::SignalKind, sync::watch};

pub(crate) use self::error::DevError;
use self::{chain::LocalChain, facilitator::Facilitator, report::DevReport, sample::Sample};
use crate::{
    args::{Chain, Endpoint, RpcUrls},
    cmd::{
        GateError,
        gate::{self, listen},
        index::{DatabaseArgs, IndexArgs},
        serve::{Index, IndexServer},
    },
    config::{Environment, Foundry, Setting, Settings, Source},
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// Start a local chain with sample tools, a gate and an index
///
/// Starts anvil with the chain id of Base, deploys the contracts, puts an EIP-3009 token at the address of USDC and a mock at the
/// address of the delegate.xyz registry, and serves two sample tools behind a gate at https://localhost: one for holders of an
/// NFT, one with a price. Payments need a facilitator: it runs if Node.js and the npm packages @x402/core, @x402/evm and viem are
/// installed; without it there is no paid tool. An index of the registry is served at
/// http://127.0.0.1:8257: an explorer for browsers, and a REST API.
///
/// Prints what to try in another terminal. Nothing outlives the command: Ctrl-C stops all processes and removes all files.
///
/// Exit codes: 0 stopped by a signal, 1 a transaction reverted, 2 usage error, 3 unknown (for example, a process ended).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  atr dev\n  atr dev --port 0 --rpc-port 0 --index-port 0 --json"
)]
pub(crate) struct Args {
    /// Path of anvil [default: the path in ANVIL, else the anvil in PATH]
    #[arg(long, value_name = "FILE")]
    anvil: Option<PathBuf>,

    /// Port of the chain; 0 for a free one
    #[arg(long, value_name = "PORT", default_value_t = 8545)]
    rpc_port: u16,

    /// Port of the gate; 0 for a free one
    #[arg(long, value_name = "PORT", default_value_t = 8402)]
    port: u16,

    /// Port of the index; 0 for a free one
    #[arg(long, value_name = "PORT", default_value_t = 8257)]
    index_port: u16,

    /// Directory with the npm packages of the facilitator [default: this directory, or tests/clients of the atr repository]
    #[arg(long, value_name = "DIRECTORY")]
    npm: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on_threads(args.run(context))?
}

impl Args {
    async fn run(&self, context: &Context) -> eyre::Result<Outcome> {
        // Before anything is started: a signal must not be lost.
        let mut terminate = listen(SignalKind::terminate())?;
        let mut interrupt = listen(SignalKind::interrupt())?;
        let folder = tempfile::Builder::new().prefix("atr-dev-").tempdir();
        let folder = folder.map_err(|source| Error::Write {
            path: std::env::temp_dir(),
            source,
        })?;
        let started = tokio::select! {
            started = self.start(context, folder.path()) => started?,
            _ = terminate.recv() => return Ok(Outcome::Success),
            _ = interrupt.recv() => return Ok(Outcome::Success),
        };
        let Started {
            mut chain,
            mut facilitator,
            servers,
            index_server,
            index,
            report,
        } = started;
        context.output.print(&report)?;

        let (stop, stopping) = watch::channel(false);
        let indexing = tokio::spawn(index_server.serve(index, stopping.clone()));
        let running: Vec<_> = servers
            .into_iter()
            .map(|server| {
                let mut stopping = stopping.clone();
                tokio::spawn(server.serve(async move {
                    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
                }))
            })
            .collect();
        let ended = tokio::select! {
            _ = terminate.recv() => None,
            _ = interrupt.recv() => None,
            () = chain.ended() => Some("anvil"),
            () = Facilitator::ended(facilitator.as_mut()) => Some("the facilitator"),
        };
        let _ = stop.send(true);
        for server in running {
            // A second signal does not wait for the requests in progress.
            tokio::select! {
                ended = server => drop(ended?),
                _ = interrupt.recv() => break,
            }
        }
        tokio::select! {
            ended = indexing => drop(ended?),
            _ = interrupt.recv() => {}
        }
        if let Some(facilitator) = facilitator {
            facilitator.stop().await;
        }
        chain.stop().await;
        match ended {
            None => Ok(Outcome::Success),
            Some(program) => Err(DevError::Ended { program }.into()),
        }
    }

    async fn start(&self, context: &Context, folder: &Path) -> eyre::Result<Started> {
        let index_server = IndexServer::bind(
            localhost(self.index_port),
            atr_api::server::ServerConfig::default(),
        )
        .await?;
        let anvil = chain::find_anvil(self.anvil.as_deref(), &context.environment)?;
        let chain = LocalChain::start(&anvil, self.rpc_port).await?;
        let contracts = chain.deploy().await?;
        let facilitator = Facilitator::start(self.npm.as_deref(), chain.url()).await;

        let certificates = tls::create(folder)?;
        let upstream = bind(0, None, sample::upstream()?).await?;
        // Listens before the tools are registered: their URLs contain the port.
        let server = bind(self.port, Some(certificates.identity), App::default()).await?;
        let port = server.local_address()?.port();
        let sample = Sample {
            origin: format!("https://localhost:{port}"),
            upstream: format!("http://{}", upstream.local_address()?),
            facilitator: facilitator
                .as_ref()
                .ok()
                .map(|facilitator| facilitator.url.clone()),
        };
        let tools = sample.register(&chain, &contracts).await?;
        let file = sample.write(folder, &tools)?;
        let environment = report::Environment {
            folder,
            rpc_url: chain.url(),
            host: &format!("localhost:{port}"),
            ca_file: &certificates.authority,
            api: &index_server.url(),
            contracts: &contracts,
            anvil: &anvil,
        };
        let context = local_context(context, &chain, &environment, file)?;
        server.handle().replace_app(gate::assemble(&context).await?);
        let options = IndexArgs::default();
        let registries = options.registries(&context, &[]).await?;
        let database = DatabaseArgs::default();
        let index = Index::open(&context, &database, Some(&options), registries).await?;

        let report = DevReport::new(&environment, &sample, &tools, &facilitator)?;
        Ok(Started {
            chain,
            facilitator: facilitator.ok(),
            servers: vec![server, upstream],
            index_server,
            index,
            report,
        })
    }
}

struct Started {
    chain: LocalChain,
    facilitator: Option<Facilitator>,
    servers: Vec<Server>,
    index_server: IndexServer,
    index: Index,
    report: DevReport,
}

async fn bind(port: u16, tls: Option<TlsIdentity>, app: App) -> Result<Server, GateError> {
    let address = localhost(port);
    let bound = Server::bind(address, tls, ServerConfig::default(), app).await;
    bound.map_err(|source| GateError::Bind { address, source })
}

fn localhost(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// The settings of the local chain, whatever the environment of the command says.
fn local_context(
    context: &Context,
    chain: &LocalChain,
    environment: &report::Environment<'_>,
    file: PathBuf,
) -> eyre::Result<Context> {
    fn setting<T>(value: T) -> Setting<T> {
        let source = Source::Default;
        Setting { value, source }
    }
    let url: Endpoint = chain.url().parse()?;
    Ok(Context {
        settings: Settings {
            chain: setting(Some(Chain::new(chain::CHAIN_ID))),
            rpc_url: setting(Some(RpcUrls::from(url))),
            registry: setting(Default::default()),
            file: Some(file),
            ..context.settings.clone()
        },
        output: context.output,
        environment: Environment::from_variables(environment.variables()),
        foundry: Foundry::new(environment.folder),
        rpc_timeout: context.rpc_timeout,
        send_rpc_url: None,
        rpc_headers: Vec::new(),
        flags: context.flags.clone(),
    })
}
