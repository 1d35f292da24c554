//! The chain at one block, and the few questions we have for it.

use alloy::{
    eips::BlockId,
    network::Ethereum,
    providers::{DynProvider, Provider},
    rpc::{
        json_rpc::ErrorPayload,
        types::{TransactionInput, TransactionRequest},
    },
    transports::TransportError,
};
use alloy_primitives::{Address, B256, Bytes};

use crate::{Error, error::failed};

/// The chain at one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) provider: &'a DynProvider<Ethereum>,
    pub(crate) block: BlockId,
}

/// What a contract made of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It returned this, or there is no contract and this is empty.
    Returned(Bytes),
    /// It did not come to an end: a revert with this data, too little gas, an invalid operation.
    Failed { data: Bytes, message: String },
}

impl Answer {
    pub(crate) fn returned(self) -> Option<Bytes> {
        match self {
            Self::Returned(bytes) => Some(bytes),
            Self::Failed { .. } => None,
        }
    }

    /// What a node's answer to `eth_call` tells of the contract. A node that could not run the call has told nothing.
    pub(crate) fn of_call(answer: Result<Bytes, TransportError>) -> Result<Self, Error> {
        match answer {
            Ok(bytes) => Ok(Self::Returned(bytes)),
            Err(error) => match execution_failure(&error) {
                Some((data, message)) => Ok(Self::Failed { data, message }),
                None => Err(failed("eth_call")(error)),
            },
        }
    }
}

impl<'a> View<'a> {
    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(address).block_id(self.block);
        code.await.map_err(failed("eth_getCode"))
    }

    pub(crate) async fn storage(&self, address: Address, slot: B256) -> Result<B256, Error> {
        let word = self.provider.get_storage_at(address, slot.into());
        let word = word.block_id(self.block).await;
        Ok(word.map_err(failed("eth_getStorageAt"))?.into())
    }

    /// Asks a contract, with as much gas as it may burn over the question.
    pub(crate) async fn ask(
        &self,
        to: Address,
        data: Bytes,
        gas: Option<u64>,
    ) -> Result<Answer, Error> {
        let request = request(to, data, gas);
        Answer::of_call(self.provider.call(request).block(self.block).await)
    }
}

pub(crate) fn request(to: Address, data: Bytes, gas: Option<u64>) -> TransactionRequest {
    TransactionRequest {
        to: Some(to.into()),
        input: TransactionInput::both(data),
        gas,
        ..Default::default()
    }
}

/// Words of nodes for "the contract ran and failed". Whatever else a node says is about itself: out of breath, block not
/// known, method not known; taking that for a revert would make an answer out of none.
const EXECUTION_FAILED: [&str; 13] = [
    "revert",
    "out of gas",
    "outofgas",
    "gas required exceeds",
    "insufficient_gas",
    "invalid opcode",
    "invalid_operation",
    "invalid jump",
    "evm error",
    "vm execution error",
    "vm exception",
    "stack underflow",
    "write protection",
];

/// What a contract failed with and the node's words for it; none if the node itself is in trouble.
pub(crate) fn execution_failure(error: &TransportError) -> Option<(Bytes, String)> {
    let payload = error
        .as_error_resp()
        .filter(|payload| is_execution(payload))?;
    let data = revert_data(payload).unwrap_or_default();
    // Nodes put the contract's own words into theirs.
    Some((data, atr_ids::excerpt(&payload.message)))
}

/// What the contract reverted with. Some nodes put a word before it: `Reverted 0x…`.
fn revert_data(payload: &ErrorPayload) -> Option<Bytes> {
    payload.as_revert_data().or_else(|| {
        let text: String = payload.try_data_as()?.ok()?;
        text.rsplit(' ').next()?.parse().ok()
    })
}

/// Whether an error tells of the contract and not of the node.
fn is_execution(payload: &ErrorPayload) -> bool {
    /// Geth's code for a revert, taken over by most.
    const REVERTED: i64 = 3;
    let message = payload.message.to_lowercase();
    payload.code == REVERTED || EXECUTION_FAILED.iter().any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_contract_reverted_with_is_found_in_every_nodes_words() {
        for (message, data) in [
            ("execution reverted", r#""0x1234""#),
            ("VM execution error.", r#""Reverted 0x1234""#),
        ] {
            let text = format!(r#"{{"code":-32015,"message":"{message}","data":{data}}}"#);
            let payload: ErrorPayload = serde_json::from_str(&text).unwrap();
            assert_eq!(
                revert_data(&payload),
                Some(Bytes::from_static(&[0x12, 0x34]))
            );
        }
    }

    #[test]
    fn a_revert_is_told_from_a_node_in_trouble() {
        for (code, message, is_revert) in [
            (3, "execution reverted", true),
            (-32000, "out of gas", true),
            (-32003, "EVM error OutOfGas", true),
            (-32000, "invalid opcode: INVALID", true),
            (-32015, "VM execution error.", true),
            (-32000, "INVALID_OPERATION", true),
            (-32000, "header not found", false),
            (-32005, "daily request count exceeded", false),
            (-32601, "the method eth_call does not exist", false),
            (-32000, "missing trie node", false),
            (-32603, "Internal error", false),
        ] {
            let payload = ErrorPayload {
                code,
                message: message.into(),
                data: None,
            };
            assert_eq!(is_execution(&payload), is_revert, "{message}");
        }
    }
}
