//! What a token says about itself.

use alloy_primitives::{Address, U256};
use alloy_sol_types::sol;
use serde::Serialize;

use super::interface::{call, symbol};
use crate::{Error, Registry};

sol! {
    // Some tokens return another integer type.
    function decimals() external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Longer symbols count as not implemented.
const MAX_SYMBOL_BYTES: usize = 32;

/// Symbol, decimals and supply of a token. Untrusted: any contract can have the symbol of another, so show its address too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct TokenInfo {
    pub address: Address,
    /// Printable text of at most 32 bytes.
    pub symbol: Option<String>,
    /// `None` for most NFTs.
    pub decimals: Option<u8>,
    /// In base units.
    #[serde(skip)]
    pub total_supply: Option<U256>,
}

impl Registry {
    /// Calls `symbol()`, `decimals()` and `totalSupply()` of a token.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn token_info(&self, address: Address) -> Result<TokenInfo, Error> {
        let view = self.view();
        let (symbol, decimals, total_supply) = tokio::try_join!(
            symbol(view, address),
            call(view, address, decimalsCall {}),
            call(view, address, totalSupplyCall {})
        )?;
        Ok(TokenInfo {
            address,
            symbol: symbol.filter(|symbol| is_symbol(symbol)),
            decimals: decimals.and_then(to_decimals),
            total_supply,
        })
    }
}

fn is_symbol(text: &str) -> bool {
    (1..=MAX_SYMBOL_BYTES).contains(&text.len())
        && text.trim() == text
        && text.chars().all(atr_ids::is_printable)
}

/// More than 77 decimals do not fit a `uint256`.
fn to_decimals(value: U256) -> Option<u8> {
    u8::try_from(value).ok().filter(|decimals| *decimals <= 77)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_short_and_printable() {
        for symbol in ["USDC", "Ξ", "a b"] {
            assert!(is_symbol(symbol), "{symbol}");
        }
        for symbol in ["", " ", "USDC ", "a\nb", "\u{202e}", &"x".repeat(33)] {
            assert!(!is_symbol(symbol), "{symbol:?}");
        }
    }

    #[test]
    fn decimals_fit_the_amount() {
        assert_eq!(to_decimals(U256::from(77)), Some(77));
        assert_eq!(to_decimals(U256::from(78)), None);
        assert_eq!(to_decimals(U256::MAX), None);
    }
}
