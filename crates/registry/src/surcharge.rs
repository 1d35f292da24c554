//! What a chain takes on top of gas.

use alloy::{eips::BlockId, network::Ethereum, providers::DynProvider};
use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::{SolCall, sol};

use crate::{
    Error, Wei,
    abi::Encoded,
    view::{Answer, View},
};

sol! {
    function getL1Fee(bytes data) external view returns (uint256);
}

/// Where rollups of the OP Stack tell what publishing a transaction costs on top of its gas.
const GAS_PRICE_ORACLE: Address = address!("0x420000000000000000000000000000000000000F");

/// Whether a chain takes something on top of gas.
#[derive(Clone, Copy, Debug)]
pub struct DataFee {
    has_oracle: bool,
}

impl DataFee {
    /// Looks for the oracle that would tell.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn of(provider: &DynProvider<Ethereum>) -> Result<Self, Error> {
        let code = latest(provider).code(GAS_PRICE_ORACLE).await?;
        Ok(Self {
            has_oracle: !code.is_empty(),
        })
    }

    /// What it takes for a transaction with this data.
    ///
    /// # Errors
    ///
    /// When the node does not answer.
    pub async fn of_data(
        &self,
        provider: &DynProvider<Ethereum>,
        data: &Bytes,
    ) -> Result<Wei, Error> {
        if !self.has_oracle {
            return Ok(Wei::default());
        }
        let question = getL1FeeCall { data: data.clone() }.abi_encode().into();
        let answer = latest(provider)
            .ask(GAS_PRICE_ORACLE, question, None)
            .await?;
        let fee = match answer {
            Answer::Returned(bytes) => Encoded::new(&bytes).number(0).ok(),
            Answer::Failed { .. } => None,
        };
        Ok(Wei(fee.unwrap_or(U256::ZERO)))
    }
}

const fn latest(provider: &DynProvider<Ethereum>) -> View<'_> {
    View {
        provider,
        block: BlockId::latest(),
    }
}
