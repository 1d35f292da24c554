//! The fee that rollups charge for publishing the data of a transaction.

use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::{SolCall, sol};

use crate::{BlockView, CallResult, ChainProfile, DataFeeKind, Error, Node, Wei};

sol! {
    function getL1Fee(bytes data) external view returns (uint256);
    function gasEstimateL1Component(address to, bool contractCreation, bytes data)
        external payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate);
}

/// Predeployed contract of the OP Stack.
const GAS_PRICE_ORACLE: Address = address!("0x420000000000000000000000000000000000000F");

/// Precompiles of Arbitrum Nitro. `NodeInterface` exists in `eth_call` only and has no code.
const ARB_SYS: Address = address!("0x0000000000000000000000000000000000000064");
const NODE_INTERFACE: Address = address!("0x00000000000000000000000000000000000000C8");

/// The maximum cost covers this many times the current fee, which follows the base fee of another chain.
const HEADROOM: u64 = 2;

/// Bytes of a transaction besides its data: nonce, fees, gas limit, recipient, value and signature.
const ENVELOPE: usize = 180;

/// How the chain charges for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFee {
    /// Not at all, or in the gas price.
    None,
    /// In addition to gas, and outside the max fee of the transaction.
    OpStack,
    /// As additional gas.
    Nitro,
}

impl DataFee {
    /// From the chain's profile, or detected for a chain without one.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn detect(node: &Node, profile: &ChainProfile) -> Result<Self, Error> {
        Ok(match profile.data_fee {
            DataFeeKind::None => Self::None,
            DataFeeKind::OpStack => Self::OpStack,
            DataFeeKind::Nitro => Self::Nitro,
            DataFeeKind::Detect if !node.code(GAS_PRICE_ORACLE).await?.is_empty() => Self::OpStack,
            DataFeeKind::Detect if !node.code(ARB_SYS).await?.is_empty() => Self::Nitro,
            DataFeeKind::Detect => Self::None,
        })
    }

    /// The fee in addition to gas for a transaction with this call data.
    ///
    /// # Errors
    ///
    /// When the RPC request fails, or the oracle does not return a fee.
    pub async fn in_wei(&self, node: &Node, data: &Bytes) -> Result<Wei, Error> {
        if *self != Self::OpStack {
            return Ok(Wei::default());
        }
        // The oracle expects the whole transaction. Nonzero bytes cost most.
        let transaction = [vec![0xff; ENVELOPE].as_slice(), data].concat();
        let call = getL1FeeCall {
            data: transaction.into(),
        };
        let returned = call_contract(node, GAS_PRICE_ORACLE, &call).await?;
        Ok(Wei(returned.unwrap_or(U256::ZERO)))
    }

    /// The gas for a transaction with this call data that a gas limit without an estimate must include.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn in_gas(&self, node: &Node, to: Address, data: &Bytes) -> Result<u64, Error> {
        if *self != Self::Nitro {
            return Ok(0);
        }
        let call = gasEstimateL1ComponentCall {
            to,
            contractCreation: false,
            data: data.clone(),
        };
        let view = BlockView::latest(node.provider());
        let result = view.call(NODE_INTERFACE, call.abi_encode().into(), None);
        let gas = match result.await? {
            CallResult::Returned(bytes) => {
                gasEstimateL1ComponentCall::abi_decode_returns_validate(&bytes)
                    .map(|returned| returned.gasEstimateForL1)
            }
            CallResult::Failed { .. } => Ok(0),
        };
        Ok(gas.unwrap_or_default().saturating_mul(HEADROOM))
    }

    /// The fee that a maximum cost must cover.
    #[must_use]
    pub const fn maximum(fee: Wei) -> Wei {
        Wei(fee.0.saturating_mul(U256::from_limbs([HEADROOM, 0, 0, 0])))
    }
}

async fn call_contract<C: SolCall<Return = U256>>(
    node: &Node,
    to: Address,
    call: &C,
) -> Result<Option<U256>, Error> {
    let view = BlockView::latest(node.provider());
    let result = view.call(to, call.abi_encode().into(), None).await?;
    let bytes = result.returned();
    Ok(bytes.and_then(|bytes| C::abi_decode_returns_validate(&bytes).ok()))
}
