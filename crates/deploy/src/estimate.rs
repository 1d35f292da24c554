//! What deploying a contract takes, as the node sees it.

use alloy::rpc::types::{TransactionInput, TransactionRequest};
use alloy_primitives::{Address, B256};

use crate::{
    Error, FACTORY, FactoryState, Node, Target,
    factory::{self, FACTORY_CODE},
};

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
