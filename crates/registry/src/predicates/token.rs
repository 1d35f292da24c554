//! Functions of tokens.

use alloy_primitives::{Address, U256};

use crate::{Error, Registry, contract};

alloy_sol_types::sol! {
    function balanceOf(address account) external view returns (uint256);
    function balanceOfBatch(address[] accounts, uint256[] ids) external view returns (uint256[]);
    function decimals() external view returns (uint8);
    function expiresAt(uint256 id) external view returns (uint64);
    function getTraitValue(uint256 id, bytes32 key) external view returns (bytes32);
    function ownerOf(uint256 id) external view returns (address);
    function tierOf(uint256 id) external view returns (uint8);
    function tokenOfOwner(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// What an ERC-20 token reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct TokenInfo {
    pub decimals: u8,
    /// At most 256 bytes; untrusted text.
    pub symbol: Option<String>,
    /// In the smallest unit.
    pub total_supply: Option<U256>,
}

impl Registry {
    /// Reads what an ERC-20 token reports; `None` if it has no `decimals()`.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn token_info(&self, token: Address) -> Result<Option<TokenInfo>, Error> {
        let view = self.view();
        let (decimals, symbol, total_supply) = tokio::try_join!(
            contract::call(view, token, decimalsCall {}),
            contract::symbol(view, token),
            contract::call(view, token, totalSupplyCall {}),
        )?;
        Ok(decimals.map(|decimals| TokenInfo {
            decimals,
            symbol,
            total_supply,
        }))
    }
}
