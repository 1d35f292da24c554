//! Read-only RPC requests at one block.

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

use crate::{Error, rpc_error};

/// The chain state at one block.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct BlockView<'a> {
    pub provider: &'a DynProvider<Ethereum>,
    pub block: BlockId,
}

/// Result of an `eth_call`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallResult {
    /// The return data; empty if there is no contract.
    Returned(Bytes),
    /// Execution failed: revert, out of gas or an invalid operation.
    Failed {
        /// The revert data.
        data: Bytes,
        /// The node's message, escaped for display.
        message: String,
    },
}

impl CallResult {
    /// The return data; `None` if execution failed.
    #[must_use]
    pub fn returned(self) -> Option<Bytes> {
        match self {
            Self::Returned(bytes) => Some(bytes),
            Self::Failed { .. } => None,
        }
    }

    /// Separates execution failures from errors of the node, which say nothing about the contract.
    ///
    /// # Errors
    ///
    /// On an error of the node.
    pub fn from_response(response: Result<Bytes, TransportError>) -> Result<Self, Error> {
        match response {
            Ok(bytes) => Ok(Self::Returned(bytes)),
            Err(error) => match execution_failure(&error) {
                Some((data, message)) => Ok(Self::Failed { data, message }),
                None => Err(rpc_error("eth_call")(error)),
            },
        }
    }
}

impl<'a> BlockView<'a> {
    /// The state at the latest block.
    #[must_use]
    pub const fn latest(provider: &'a DynProvider<Ethereum>) -> Self {
        Self {
            provider,
            block: BlockId::latest(),
        }
    }

    /// The code of an account; empty if there is none.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn code(&self, address: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(address).block_id(self.block);
        code.await.map_err(rpc_error("eth_getCode"))
    }

    /// The value of a storage slot.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn storage(&self, address: Address, slot: B256) -> Result<B256, Error> {
        let value = self.provider.get_storage_at(address, slot.into());
        let value = value.block_id(self.block).await;
        Ok(value.map_err(rpc_error("eth_getStorageAt"))?.into())
    }

    /// Calls a contract. Without `gas`, the node's own limit applies.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn call(
        &self,
        to: Address,
        data: Bytes,
        gas: Option<u64>,
    ) -> Result<CallResult, Error> {
        let request = call_request(to, data, gas);
        CallResult::from_response(self.provider.call(request).block(self.block).await)
    }

    /// Runs creation code without creating a contract, and returns what it returns.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn run(&self, code: Bytes, gas: u64) -> Result<CallResult, Error> {
        let request = TransactionRequest {
            input: TransactionInput::both(code),
            gas: Some(gas),
            ..Default::default()
        };
        CallResult::from_response(self.provider.call(request).block(self.block).await)
    }
}

/// The request of an `eth_call`.
#[must_use]
pub fn call_request(to: Address, data: Bytes, gas: Option<u64>) -> TransactionRequest {
    TransactionRequest {
        to: Some(to.into()),
        input: TransactionInput::both(data),
        gas,
        ..Default::default()
    }
}

/// Messages of nodes for a failed execution. Every other message is an error of the node (rate limit, unknown block, unknown
/// method) and must not be reported as a revert.
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

/// Revert data and message of a failed execution; `None` for an error of the node.
#[must_use]
pub fn execution_failure(error: &TransportError) -> Option<(Bytes, String)> {
    let payload = error
        .as_error_resp()
        .filter(|payload| is_execution(payload))?;
    let data = revert_data(payload).unwrap_or_default();
    // The message can contain text of the contract, which is untrusted.
    Some((data, atr_ids::excerpt(&payload.message)))
}

/// Some nodes prefix the data with a word: `Reverted 0x…`.
fn revert_data(payload: &ErrorPayload) -> Option<Bytes> {
    payload.as_revert_data().or_else(|| {
        let text: String = payload.try_data_as()?.ok()?;
        text.rsplit(' ').next()?.parse().ok()
    })
}

fn is_execution(payload: &ErrorPayload) -> bool {
    /// Geth's error code for a revert, used by most nodes.
    const REVERTED: i64 = 3;
    let message = payload.message.to_lowercase();
    payload.code == REVERTED || EXECUTION_FAILED.iter().any(|text| message.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_revert_data_in_the_error_formats_of_all_nodes() {
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

    /// Code and message of a response, and whether it is a failed execution.
    const SAMPLES: [(i64, &str, bool); 20] = [
        (3, "execution reverted", true),
        (-32000, "out of gas", true),
        (-32003, "EVM error OutOfGas", true),
        (-32000, "invalid opcode: INVALID", true),
        (-32015, "VM execution error.", true),
        (-32000, "INVALID_OPERATION", true),
        (-32000, "gas required exceeds allowance (550000000)", true),
        (-32000, "INSUFFICIENT_GAS", true),
        (-32000, "invalid jump destination", true),
        (-32603, "EVM error: StackUnderflow", true),
        (-32603, "VM Exception while processing transaction", true),
        (-32000, "stack underflow (0 <=> 1)", true),
        (-32000, "write protection", true),
        (-32603, "Transaction reverted without a reason", true),
        (-32000, "OutOfGas", true),
        (-32000, "header not found", false),
        (-32005, "daily request count exceeded", false),
        (-32601, "the method eth_call does not exist", false),
        (-32000, "missing trie node", false),
        (-32603, "Internal error", false),
    ];

    #[test]
    fn distinguishes_a_revert_from_a_node_error() {
        for (code, message, is_revert) in SAMPLES {
            let payload = ErrorPayload {
                code,
                message: message.into(),
                data: None,
            };
            assert_eq!(is_execution(&payload), is_revert, "{message}");
        }
    }

    #[test]
    fn every_message_has_a_sample_that_only_it_matches() {
        for text in EXECUTION_FAILED {
            let is_only = |(code, message, _): &(i64, &str, bool)| {
                let message = message.to_lowercase();
                let matches = EXECUTION_FAILED
                    .iter()
                    .filter(|other| message.contains(**other));
                *code != 3 && message.contains(text) && matches.count() == 1
            };
            assert!(SAMPLES.iter().any(is_only), "{text}");
        }
    }
}
