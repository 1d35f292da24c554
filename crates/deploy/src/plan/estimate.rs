//! Gas estimates of deployments.

use alloy::rpc::types::{TransactionInput, TransactionRequest};
use alloy_primitives::{Address, B256};

use super::ContractState;
use crate::{
    Error, FACTORY, Node, Target,
    factory::{self, FACTORY_CODE},
};

/// Gas to deploy a contract, or the node's message if the deployment would revert. A missing factory is simulated.
pub(super) async fn gas(
    node: &Node,
    salt: B256,
    target: &Target,
    sender: Option<Address>,
    factory: ContractState,
) -> Result<Result<u64, String>, Error> {
    let data = factory::call_data(salt, target.init_code());
    let request = TransactionRequest {
        from: sender,
        to: Some(FACTORY.into()),
        input: TransactionInput::both(data),
        ..Default::default()
    };
    let code_override = (factory == ContractState::Missing).then_some((FACTORY, FACTORY_CODE));
    match node.estimate_gas(request, code_override).await {
        Ok(gas) => Ok(Ok(gas)),
        Err(Error::Node { method, source }) => match source.as_error_resp() {
            Some(response) => Ok(Err(response.message.to_string())),
            None => Err(Error::Node { method, source }),
        },
        Err(error) => Err(error),
    }
}
