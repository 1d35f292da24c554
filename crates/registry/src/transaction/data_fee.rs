//! The L1 data fee of OP Stack rollups.

use alloy::{network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::{SolCall, sol};

use crate::{
    Error, Wei,
    abi::AbiSlice,
    rpc::{BlockView, CallResult},
};

sol! {
    function getL1Fee(bytes data) external view returns (uint256);
}

/// Predeployed contract of the OP Stack.
const GAS_PRICE_ORACLE: Address = address!("0x420000000000000000000000000000000000000F");

/// The data fee that a rollup charges in addition to gas.
#[derive(Clone, Copy, Debug)]
pub struct DataFee {
    has_oracle: bool,
}

impl DataFee {
    /// Detects whether the chain charges a data fee.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn detect(provider: &DynProvider<Ethereum>) -> Result<Self, Error> {
        let code = BlockView::latest(provider).code(GAS_PRICE_ORACLE).await?;
        Ok(Self {
            has_oracle: !code.is_empty(),
        })
    }

    /// The fee for a transaction with this data; zero on a chain without a data fee.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn estimate(
        &self,
        provider: &DynProvider<Ethereum>,
        data: &Bytes,
    ) -> Result<Wei, Error> {
        if !self.has_oracle {
            return Ok(Wei::default());
        }
        let call = getL1FeeCall { data: data.clone() }.abi_encode().into();
        let result = BlockView::latest(provider)
            .call(GAS_PRICE_ORACLE, call, None)
            .await?;
        let fee = match result {
            CallResult::Returned(bytes) => AbiSlice::new(&bytes).uint256(0).ok(),
            CallResult::Failed { .. } => None,
        };
        Ok(Wei(fee.unwrap_or(U256::ZERO)))
    }
}
