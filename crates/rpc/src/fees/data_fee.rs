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
    /// From the chain's profile, if the chain has the contract that prices data: a local chain can have the id of a rollup. Detected
    /// for a chain without a profile.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn detect(node: &Node, profile: &ChainProfile) -> Result<Self, Error> {
        let has_code = async |address| Ok::<_, Error>(!node.code(address).await?.is_empty());
        let kind = profile.data_fee;
        let is_detected = kind == DataFeeKind::Detect;
        if (is_detected || kind == DataFeeKind::OpStack) && has_code(GAS_PRICE_ORACLE).await? {
            return Ok(Self::OpStack);
        }
        if (is_detected || kind == DataFeeKind::Nitro) && has_code(ARB_SYS).await? {
            return Ok(Self::Nitro);
        }
        Ok(Self::None)
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
        call_contract(node, GAS_PRICE_ORACLE, &call).await.map(Wei)
    }

    /// The gas for a transaction with this call data that a gas limit without an estimate must include.
    ///
    /// # Errors
    ///
    /// When the RPC request fails, or the node does not return the gas.
    pub async fn in_gas(&self, node: &Node, to: Address, data: &Bytes) -> Result<u64, Error> {
        if *self != Self::Nitro {
            return Ok(0);
        }
        let call = gasEstimateL1ComponentCall {
            to,
            contractCreation: false,
            data: data.clone(),
        };
        let returned = call_contract(node, NODE_INTERFACE, &call).await?;
        Ok(returned.gasEstimateForL1.saturating_mul(HEADROOM))
    }

    /// The fee that a maximum cost must cover.
    #[must_use]
    pub const fn maximum(fee: Wei) -> Wei {
        Wei(fee.0.saturating_mul(U256::from_limbs([HEADROOM, 0, 0, 0])))
    }
}

/// An error if the contract does not return a value: without it, the maximum cost would be too low.
async fn call_contract<C: SolCall>(node: &Node, to: Address, call: &C) -> Result<C::Return, Error> {
    let view = BlockView::latest(node.provider());
    let message = match view.call(to, call.abi_encode().into(), None).await? {
        CallResult::Returned(bytes) => match C::abi_decode_returns_validate(&bytes) {
            Ok(returned) => return Ok(returned),
            Err(error) => error.to_string(),
        },
        CallResult::Failed { message, .. } => message,
    };
    Err(Error::NoDataFee {
        contract: to,
        message,
    })
}
