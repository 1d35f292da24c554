//! What deploying a contract takes, as the node sees it.

use alloy::rpc::types::{TransactionInput, TransactionRequest};
use alloy_primitives::{Address, B256, Bytes, U256, address};
use alloy_sol_types::sol;

use crate::{
    Error, FACTORY, FactoryState, Node, Target, Wei,
    factory::{self, FACTORY_CODE},
};

sol! {
    function getL1Fee(bytes data) external view returns (uint256);
}

/// Where rollups of the OP Stack tell what publishing a transaction costs on top of its gas.
const GAS_PRICE_ORACLE: Address = address!("0x420000000000000000000000000000000000000F");

/// Room above the estimate, in percent: what is not used is not paid.
const GAS_MARGIN_PERCENT: u64 = 15;

/// The gas limit for an estimate.
pub(crate) const fn with_margin(gas: u64) -> u64 {
    gas + gas * GAS_MARGIN_PERCENT / 100
}

/// Gas to deploy a target; a node that says it would fail has answered too.
pub(crate) async fn gas(
    node: &Node,
    salt: B256,
    target: &Target,
    sender: Option<Address>,
    factory: FactoryState,
) -> Result<Result<u64, String>, Error> {
    let data = factory::call_data(salt, target.init_code());
    let request = TransactionRequest {
        from: sender,
        to: Some(FACTORY.into()),
        input: TransactionInput::both(data),
        ..Default::default()
    };
    let as_if = (factory == FactoryState::Absent).then_some((FACTORY, FACTORY_CODE));
    match node.estimate(request, as_if).await {
        Ok(gas) => Ok(Ok(gas)),
        Err(Error::Node { asked, source }) => match source.as_error_resp() {
            Some(answer) => Ok(Err(answer.message.to_string())),
            None => Err(Error::Node { asked, source }),
        },
        Err(error) => Err(error),
    }
}

/// What a chain takes on top of gas.
pub(crate) struct Surcharge {
    has_oracle: bool,
}

impl Surcharge {
    pub(crate) async fn of(node: &Node) -> Result<Self, Error> {
        let has_oracle = !node.code(GAS_PRICE_ORACLE).await?.is_empty();
        Ok(Self { has_oracle })
    }

    pub(crate) async fn of_data(&self, node: &Node, data: &Bytes) -> Result<Wei, Error> {
        if !self.has_oracle {
            return Ok(Wei::default());
        }
        let call = getL1FeeCall { data: data.clone() };
        let fee = node.view(GAS_PRICE_ORACLE, call).await?;
        Ok(Wei(fee.value().unwrap_or(U256::ZERO)))
    }
}
