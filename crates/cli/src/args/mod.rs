//! Command-line arguments. Help, completions and man pages are generated from them.

mod account;
mod address;
mod allowlist_file;
mod amount;
mod api_url;
mod block;
mod bytes32;
mod call_data;
mod chain;
mod document;
mod ens;
mod fetch;
mod gas_price;
mod gate;
mod invalid_value;
mod ipfs;
mod manifest_file;
mod positive;
mod predicate;
mod registry;
mod rpc_url;
mod send;
mod stipend;
mod token;
mod token_amount;
mod tool;

use std::{path::PathBuf, sync::LazyLock};

use atr_bindings::TOOL_REGISTRY;
use clap::{ArgAction, Args, CommandFactory, Parser};

pub(crate) use account::AccountArg;
pub(crate) use address::AddressArg;
pub(crate) use allowlist_file::AllowlistFile;
pub(crate) use amount::Amount;
pub(crate) use api_url::ApiUrl;
pub(crate) use block::BlockArgs;
pub(crate) use bytes32::Bytes32;
pub(crate) use call_data::CallData;
pub(crate) use chain::{Chain, ChainArg};
pub(crate) use document::{DocumentKind, DocumentSource};
pub(crate) use ens::EnsArgs;
pub(crate) use fetch::FetchArgs;
pub(crate) use gas_price::GasPrice;
pub(crate) use gate::GateArg;
pub(crate) use invalid_value::InvalidValue;
pub(crate) use ipfs::IpfsArgs;
pub(crate) use manifest_file::ManifestFile;
pub(crate) use positive::positive;
pub(crate) use predicate::{PredicateArg, PredicateOrOpen};
pub(crate) use registry::RegistryChoice;
pub(crate) use rpc_url::{Endpoint, RpcHeader, RpcUrl, RpcUrls};
pub(crate) use send::SendArgs;
pub(crate) use stipend::StipendArg;
pub(crate) use token::TokenArgs;
pub(crate) use token_amount::TokenAmount;
pub(crate) use tool::ToolArg;

use crate::{
    cmd::Cmd,
    config::{KEYS, VARIABLES},
    output::Color,
};

/// Register, gate, find and verify tools for AI agents on Ethereum (ERC-8257)
///
/// An ERC-8257 registry is a contract that lists tools. For each tool it stores the creator, the URL and hash of the manifest
/// and, for gated tools, the address of the access predicate: the contract that decides which accounts may call the tool.
///
/// Use `-h` for a summary and `--help` for the full description of a command.
#[derive(Debug, Parser)]
#[command(
    name = "atr",
    version,
    long_version = LONG_VERSION.as_str(),
    after_help = "Run `atr --help` for examples, exit codes and configuration.",
    after_long_help = AFTER_LONG_HELP.as_str(),
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Cmd,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    #[command(flatten)]
    pub(crate) chain: ChainArgs,

    /// Configuration file [default: the nearest atr.toml in this or a parent directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<Color>,

    /// Print addresses and hashes in full, and do not cut tables to the width of the terminal
    #[arg(long, global = true)]
    pub(crate) full: bool,

    /// Hide progress bars
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,

    /// Print more log messages [repeatable]
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Print only results and errors: no plan, progress, warnings and hints [repeatable: fewer log messages]
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "verbose")]
    pub(crate) quiet: u8,
}

/// Chain, node and registry.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct ChainArgs {
    /// Chain: a name, a chain id, or an RPC URL
    ///
    /// Names: mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil, and those in [rpc_endpoints] of foundry.toml.
    /// With one of the listed names or an id, the node's chain id must match. Otherwise the chain id is read from the node.
    #[arg(long, global = true, value_name = "CHAIN")]
    pub(crate) chain: Option<ChainArg>,

    /// RPC URL of a node, or a name in [rpc_endpoints] of foundry.toml; with several, the next is used if one fails [repeatable]
    ///
    /// Default: the endpoint of the chain in the nearest foundry.toml, else ETH_RPC_URL, else http://127.0.0.1:8545 for --chain
    /// anvil.
    #[arg(short, long, global = true, value_name = "URL", value_delimiter = ',')]
    pub(crate) rpc_url: Vec<Endpoint>,

    /// RPC URL for sending signed transactions, for example a private relay [default: --rpc-url]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) send_rpc_url: Option<RpcUrl>,

    /// Header of RPC requests, `Name: value`; use ATR_RPC_HEADER for secrets [repeatable]
    #[arg(long, global = true, value_name = "HEADER")]
    pub(crate) rpc_header: Vec<RpcHeader>,

    /// Timeout of an RPC request, retries included
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = DEFAULT_RPC_TIMEOUT
    )]
    pub(crate) rpc_timeout: u64,

    /// Registry: an address, `ours` (deployed by atr, default) or `opensea` (reference deployment)
    #[arg(long, global = true, value_name = "REGISTRY")]
    pub(crate) registry: Option<RegistryChoice>,
}

const DEFAULT_RPC_TIMEOUT: u64 = 30;

/// Keys and variables come from the table of settings.
static AFTER_LONG_HELP: LazyLock<String> = LazyLock::new(|| {
    format!(
        "\
Examples:
  atr deploy --predict                   print the contract addresses, the same on every chain
  atr deploy --chain base --dry-run      print the deployment plan and its cost
  atr manifest init                      create a manifest
  atr tool register https://tools.example.com/.well-known/ai-tool/oracle.json --dry-run
  atr verify eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
  atr config show                        print all settings and their sources
  atr --chain base config get chain      print one setting
  atr completions bash > ~/.local/share/bash-completion/completions/atr
  atr man | man -l -                     show this help as a man page

Exit codes:
  0  success: for example granted, verified or valid
  1  failure: for example denied, failed, invalid, reverted or declined
  2  usage error: invalid arguments, environment variables or configuration file
  3  unknown: the result could not be determined

Configuration, in order of precedence:
  1. flag                                --rpc-url http://127.0.0.1:8545
  2. environment variable                ATR_RPC_URL=http://127.0.0.1:8545
  3. atr.toml: the file of --config or   rpc-url = \"http://127.0.0.1:8545\"
     the nearest in a parent directory
  4. default

Environment variables of settings: {}.
Other environment variables:
{}
Keys of atr.toml: {}.
Without an RPC URL, [rpc_endpoints] of the nearest foundry.toml and ETH_RPC_URL are used.",
        KEYS.map(|key| key.variable).join(", "),
        VARIABLES
            .iter()
            .map(|variable| format!("  {:<24} {}\n", variable.name, variable.purpose))
            .collect::<String>(),
        KEYS.map(|key| key.name).join(", "),
    )
});

/// Includes the hash of the registry's creation code, which identifies the contract this build deploys.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nstandard: ERC-8257\n{}: creation code {}",
        env!("CARGO_PKG_VERSION"),
        TOOL_REGISTRY.name(),
        TOOL_REGISTRY.creation_hash(),
    )
});

/// The clap definition of all commands and options.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clap_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_lists_every_chain() {
        let help = command().render_long_help().to_string();
        for name in Chain::names() {
            assert!(help.contains(name), "{name}");
        }
    }
}
