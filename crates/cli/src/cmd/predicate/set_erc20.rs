//! `atr predicate set-erc20`.

use atr_registry::predicates::erc20_balance;

use crate::{
    args::{AddressArg, StipendArg, TokenAmount, TokenArgs},
    cmd::predicate::configure::{ConfigureArgs, TokenOptions},
    context::Context,
    error::Error,
    outcome::Outcome,
    process::runtime,
};

/// Grant access to holders of a minimum ERC-20 balance
///
/// Replaces the current configuration.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// ERC-20 token
    #[arg(long, value_name = "ADDRESS")]
    token: AddressArg,

    /// Minimum balance as a token amount (decimal), for example 100 or 0.5
    #[arg(long, value_name = "AMOUNT")]
    min_balance: TokenAmount,

    /// Decimals of the token; 0 if --min-balance is in base units [default: read from the token]
    #[arg(long, value_name = "NUMBER")]
    decimals: Option<u8>,

    /// Gas per token call: an amount, `auto` (measured, with a margin) or `default` [default: `auto` if the default stipends are
    /// too small, otherwise `default`]
    #[arg(long, value_name = "GAS")]
    stipend: Option<StipendArg>,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    configure: ConfigureArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.set(context))?
}

impl Args {
    async fn set(&self, context: &Context) -> eyre::Result<Outcome> {
        let token = self.token.0;
        let decimals = match self.decimals {
            Some(decimals) => decimals,
            None => {
                let registry = self.configure.connect(context).await?;
                let info = registry.token_info(token).await?;
                let Some(decimals) = info.decimals else {
                    let declared = registry.declared_standard(token).await?;
                    return Err(match declared {
                        Some(standard) => Error::NotErc20 { token, standard },
                        None => Error::NoDecimals { token },
                    }
                    .into());
                };
                decimals
            }
        };
        let min_balance = self.min_balance.to_units(decimals);
        let configuration = erc20_balance::Configuration {
            token,
            min_balance: min_balance.map_err(|reason| Error::InvalidFlag {
                flag: "--min-balance",
                reason,
            })?,
            stipend: None,
        };
        let options = TokenOptions {
            stipend: self.stipend,
            tokens: self.tokens,
        };
        self.configure
            .run(context, options, |_, _| Ok(configuration.into()))
            .await
    }
}
