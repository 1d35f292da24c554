//! The arguments, from which help, completions and man pages are made as well.

mod account_list;
mod address;
mod bytes32;
mod call_data;
mod chain;
mod fetch;
mod gas_price;
mod invalid_value;
mod registry;
mod rpc_url;
pub(crate) mod tool;

use std::{path::PathBuf, sync::LazyLock};

use atr_bindings::TOOL_REGISTRY;
use clap::{ArgAction, Args, CommandFactory, Parser};

pub(crate) use account_list::AccountList;
pub(crate) use address::Account;
pub(crate) use bytes32::Word;
pub(crate) use call_data::CallData;
pub(crate) use chain::{Chain, ChainFlag};
pub(crate) use fetch::GuardArgs;
pub(crate) use gas_price::GasPrice;
pub(crate) use invalid_value::InvalidValue;
pub(crate) use registry::RegistryChoice;
pub(crate) use rpc_url::RpcUrl;
pub(crate) use tool::ToolName;

use crate::{cmd::Cmd, config::KEYS, output::Color};

/// Publish, gate, find and call tools for AI agents on Ethereum (ERC-8257).
///
/// An ERC-8257 registry is a contract that lists tools. Of each it knows the creator, where the manifest is, the hash of that
/// manifest and, if the tool is gated, the contract that decides who may call it. atr is the toolkit around such registries.
///
/// Run `atr help <command>` or `atr <command> --help` for the whole story of a command, `-h` for a summary.
#[derive(Debug, Parser)]
#[command(
    name = "atr",
    version,
    long_version = LONG_VERSION.as_str(),
    after_help = "`atr --help` adds examples, exit codes and the order of configuration.",
    after_long_help = AFTER_LONG_HELP.as_str(),
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,

    #[command(subcommand)]
    pub(crate) command: Cmd,
}

/// Options that mean the same for every command.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Chain to work on: a name, a chain id, or the URL of a node that is on it
    ///
    /// Names: mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil. With a URL the chain is the one the node
    /// says it is on; with a name or an id the node must be on that one.
    #[arg(long, global = true, value_name = "CHAIN")]
    pub(crate) chain: Option<ChainFlag>,

    /// Node to reach the chain through
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) rpc_url: Option<RpcUrl>,

    /// Registry to talk to: an address, `ours` or `opensea`
    #[arg(long, global = true, value_name = "REGISTRY")]
    pub(crate) registry: Option<RegistryChoice>,

    /// Configuration file to read instead of the nearest atr.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<Color>,

    /// Draw no progress bars
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,

    /// Say more about what is being done; repeat for even more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Say less; repeat for nothing but the answer
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "verbose")]
    pub(crate) quiet: u8,
}

/// Names come from the tables that decide, so that the help cannot fall behind them.
static AFTER_LONG_HELP: LazyLock<String> = LazyLock::new(|| {
    format!(
        "\
Examples:
  atr deploy --predict                   the addresses of the contracts, on every chain
  atr deploy --chain base --dry-run      what deploying would do and cost
  atr manifest init                      a first manifest, valid from the start
  atr tool register https://tools.example.com/.well-known/ai-tool/oracle.json --dry-run
  atr verify eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7
                                         is this tool what it claims to be?
  atr config show                        which settings are in force, and where each comes from
  atr --chain base config get chain      one setting, for a script
  atr completions bash > ~/.local/share/bash-completion/completions/atr
  atr man | man -l -                     this text as a man page

Exit codes:
  0  yes: done, or the answer is yes
  1  no: the answer is no
  2  misuse: wrong arguments, environment or configuration file
  3  could not find out

Configuration, first found wins:
  1. the flag                            --rpc-url http://127.0.0.1:8545
  2. the environment                     ATR_RPC_URL=http://127.0.0.1:8545
  3. atr.toml, the nearest upwards from  rpc-url = \"http://127.0.0.1:8545\"
     here, or the one --config names
  4. the default

Variables: {}, and ATR_CONFIG for the file.
Keys of atr.toml: {}.",
        KEYS.map(|key| key.variable).join(", "),
        KEYS.map(|key| key.name).join(", "),
    )
});

/// Which build this is, down to the contract it would deploy: versions can lie, a hash of the code cannot.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nstandard: ERC-8257\n{}: creation code {}",
        env!("CARGO_PKG_VERSION"),
        TOOL_REGISTRY.name(),
        TOOL_REGISTRY.creation_hash(),
    )
});

/// The whole command line, to introspect: every command, option and help text there is.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_names_every_chain() {
        let help = command().render_long_help().to_string();
        for name in Chain::names() {
            assert!(help.contains(name), "{name}");
        }
    }
}
