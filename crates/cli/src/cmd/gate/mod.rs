//! `atr gate`.

mod args;
mod assembly;
mod check;
mod error;
mod file;
mod payments;
mod publication;
mod report;
mod serve;
mod settings;

use atr_gate::server::App;

pub(crate) use error::GateError;
pub(super) use serve::listen;

use self::{
    args::GateArgs,
    assembly::{Assembly, Shared},
};
use crate::{context::Context, outcome::Outcome, process::runtime};

/// Reverse proxy that enforces a tool's access and price
///
/// A reverse proxy in front of the server that implements the tool, in any language. A caller without credentials gets status 402 and what to
/// sign. A caller who signs, has access according to the tool's access predicate, and pays the price of the manifest, is
/// admitted: the upstream server gets the request with the headers X-Tool-Caller, X-Tool-Agent (if an agent calls for the
/// caller), X-Tool-Paid and X-Tool-Payment-Tx. It must accept requests from the gate only.
///
/// The gate starts for verified tools only. Price and recipient come from the manifest. It serves the manifest at its
/// well-known path, /.well-known/x402.json, /healthz, /readyz and /metrics.
///
/// Settings come from flags or from the table [gate] of the configuration file (--config), with several [[gate.tool]]. The file is
/// read again when it changes and on SIGHUP; an invalid file changes nothing. SIGTERM and SIGINT finish the requests in progress.
///
/// Exit codes: 0 stopped by a signal, 1 not verified or another price, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Cmd>,

    #[command(flatten)]
    gate: GateArgs,
}

const EXAMPLES: &str = "\
Examples:
  atr gate --tool eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7 --upstream http://127.0.0.1:3000 --operator 0x…
  atr gate --chain base --tool 7 --upstream http://127.0.0.1:3000 --price 0.01 --facilitator https://x402.example --store gate.db
  atr gate --config gate.toml
  atr gate check --config gate.toml

gate.toml:
  chain = \"base\"
  rpc-url = \"https://your-node.example\"

  [gate]
  bind = \"0.0.0.0:8402\"
  facilitator = \"https://x402.example\"
  store = \"gate.db\"
  trusted-proxies = [\"10.0.0.0/8\"]

  [[gate.tool]]
  tool = \"7\"
  upstream = \"http://127.0.0.1:3000\"
  manifest = \"oracle.json\"

  [[gate.route]]                          # open to everyone
  path = \"/docs\"
  upstream = \"http://127.0.0.1:3000\"";

#[derive(Debug, clap::Subcommand)]
enum Cmd {
    Check(Box<check::Args>),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    match &args.command {
        Some(Cmd::Check(args)) => check::run(args, context),
        None => runtime::block_on_threads(serve::run(&args.gate, context))?,
    }
}

/// The app of the gate in the configuration file, for a server that already listens.
pub(super) async fn assemble(context: &Context) -> eyre::Result<App> {
    let assembly = Assembly::load(context, &GateArgs::default(), &Shared::default()).await?;
    Ok(assembly.app.with_monitor(assembly.monitor))
}
