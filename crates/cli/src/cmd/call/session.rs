//! What every call of a tool needs, whoever decides between its steps.

use std::str::FromStr;

use alloy_primitives::{B256, U256};
use atr_auth::{Signature, SignedAuthorization, Token, Tokens};
use atr_client::{Client, Demand};
use atr_ids::ToolRef;

use crate::{
    args::{FetchArgs, ToolArg},
    context::Context,
    error::Error,
    network::registry,
    process::clock,
    signer::AccountSigner,
};

/// A decimal number whose unit is known when the tool demands a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cmd) struct Amount(String);

impl FromStr for Amount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (integer, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| {
            !part.is_empty() && part.len() <= 78 && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if is_digits(integer) && is_digits(fraction) {
            Ok(Self(text.to_owned()))
        } else {
            Err("expected a decimal number, such as 0.05")
        }
    }
}

impl Amount {
    /// In base units of a token. `flag` is where the number comes from.
    pub(in crate::cmd) fn of(&self, token: &Token, flag: &'static str) -> Result<U256, Error> {
        let amount = token.parse_amount(&self.0);
        amount.map_err(|source| Error::MaxAmount {
            flag,
            found: self.0.clone(),
            symbol: token.symbol().to_owned(),
            source,
        })
    }
}

/// Connects to the chain of a tool.
pub(in crate::cmd) async fn connect(
    context: &Context,
    tool: &ToolArg,
    fetch: &FetchArgs,
) -> eyre::Result<(Client, ToolRef)> {
    let registry = registry::connect_for_tool(context, tool).await?;
    let tool = registry::find_tool(&registry, tool).await?;
    let client = Client::try_new(registry, fetch.client(context)?, Tokens::default())?;
    Ok((client, tool))
}

/// Signs what a tool demands.
pub(in crate::cmd) async fn sign(
    signer: &dyn AccountSigner,
    demand: &Demand,
) -> eyre::Result<SignedAuthorization> {
    let unsigned = demand.authorization(signer.address(), random_nonce()?, clock::now());
    let signature = signer.sign_authorization(&unsigned).await?;
    let signature = Signature::from_bytes(&signature.as_bytes())?;
    Ok(unsigned.sign(signature)?)
}

fn random_nonce() -> Result<B256, Error> {
    B256::try_random().map_err(|_| Error::NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_decimal_number() {
        for text in ["0", "1", "0.05", "007", "12.000"] {
            assert!(text.parse::<Amount>().is_ok(), "{text}");
        }
        for text in ["", ".", "1.", ".5", "-1", "1e3", "1,5", "0x1", " 1"] {
            assert!(text.parse::<Amount>().is_err(), "{text:?}");
        }
    }
}
