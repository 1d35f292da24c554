//! Connection to the nodes of one chain.

mod head;
mod transport;

use std::time::Duration;

use alloy::{
    eips::BlockId,
    network::Ethereum,
    providers::{DynProvider, Provider, RootProvider},
    rpc::{
        client::RpcClient,
        types::{TransactionReceipt, TransactionRequest, state::StateOverride},
    },
    transports::TransportError,
};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use atr_fetch::{HttpClient, Limits};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

pub use self::head::Head;
use self::transport::NodeTransport;
use crate::{BlockView, CallResult, Error, Wei, call::execution_failure, rpc_error};

/// Where and how to reach the nodes of a chain.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// Tried in this order.
    pub urls: Vec<Url>,
    /// For signed transactions, for example a private relay. Default: `urls`.
    pub send_url: Option<Url>,
    /// Added to every request.
    pub headers: Vec<(String, String)>,
    /// For a request, with all retries and fallbacks.
    pub timeout: Duration,
}

/// A connection to the nodes of a chain. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Node {
    provider: DynProvider<Ethereum>,
    /// Receives signed transactions.
    relay: DynProvider<Ethereum>,
}

/// A receipt, with the data fee that OP Stack chains add to it.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    pub(crate) receipt: TransactionReceipt,
    pub(crate) l1_fee: Wei,
}

/// The parts of a block that are the same on all chains. Chains have transaction types of their own.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Block {
    pub(crate) hash: Option<B256>,
    pub(crate) number: Option<U256>,
    pub(crate) base_fee_per_gas: Option<U256>,
    #[serde(default)]
    pub(crate) transactions: Vec<Value>,
}

impl Node {
    /// A connection with retries and fallback. Sends nothing yet.
    ///
    /// # Errors
    ///
    /// If the HTTP library cannot be set up, or a header is invalid.
    pub fn try_new(endpoints: Endpoints) -> Result<Self, atr_fetch::Error> {
        let connect = |urls: Vec<Url>| {
            let attempt = NodeTransport::attempt_timeout(endpoints.timeout, urls.len());
            let client = HttpClient::try_new(Limits {
                timeout: attempt,
                ..Limits::default()
            })?;
            let client = client.with_headers(&endpoints.headers)?;
            let transport = NodeTransport::new(client, urls, endpoints.timeout);
            let rpc = RpcClient::new(transport, false);
            Ok(RootProvider::<Ethereum>::new(rpc).erased())
        };
        let provider = connect(endpoints.urls.clone())?;
        let relay = match &endpoints.send_url {
            Some(url) => connect(vec![url.clone()])?,
            None => provider.clone(),
        };
        Ok(Self { provider, relay })
    }

    /// A connection through an existing provider.
    #[must_use]
    pub fn from_provider(provider: DynProvider<Ethereum>) -> Self {
        Self {
            relay: provider.clone(),
            provider,
        }
    }

    /// The provider for reads.
    #[must_use]
    pub const fn provider(&self) -> &DynProvider<Ethereum> {
        &self.provider
    }

    /// Requests the chain id and compares it with the expected one.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the node is on another chain.
    pub async fn chain_id(&self, expected: Option<u64>) -> Result<u64, Error> {
        let found = self.provider.get_chain_id().await;
        let found = found.map_err(rpc_error("eth_chainId"))?;
        match expected {
            Some(expected) if expected != found => Err(Error::WrongChain { expected, found }),
            _ => Ok(found),
        }
    }

    /// The code of an account; empty if there is none.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn code(&self, address: Address) -> Result<Bytes, Error> {
        BlockView::latest(&self.provider).code(address).await
    }

    /// The balance of an account.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn balance(&self, address: Address) -> Result<Wei, Error> {
        let balance = self.provider.get_balance(address).latest().await;
        balance.map(Wei).map_err(rpc_error("eth_getBalance"))
    }

    /// Number of included transactions of an account.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).latest().await;
        count.map_err(rpc_error("eth_getTransactionCount"))
    }

    /// As [`Self::nonce`], including pending transactions.
    pub(crate) async fn pending_nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).pending().await;
        count.map_err(rpc_error("eth_getTransactionCount"))
    }

    /// As [`Self::nonce`], at a block; `None` if the node does not have its state.
    pub(crate) async fn nonce_at(
        &self,
        address: Address,
        block: u64,
    ) -> Result<Option<u64>, Error> {
        let count = self.provider.get_transaction_count(address).number(block);
        match count.await {
            Ok(count) => Ok(Some(count)),
            Err(error) if error.as_error_resp().is_some() => Ok(None),
            Err(error) => Err(rpc_error("eth_getTransactionCount")(error)),
        }
    }

    /// Number of the latest block.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn block_number(&self) -> Result<u64, Error> {
        let number = self.provider.get_block_number().await;
        number.map_err(rpc_error("eth_blockNumber"))
    }

    /// Number of a block of the canonical chain; `None` if the node does not have it, or if its hash is not canonical.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn canonical_block(&self, block: BlockId) -> Result<Option<u64>, Error> {
        let (hash, number) = match block {
            BlockId::Number(number) => (None, number.to_string()),
            BlockId::Hash(hash) => {
                const METHOD: &str = "eth_getBlockByHash";
                let client = self.provider.client();
                let found: Option<Block> = client
                    .request(METHOD, (hash.block_hash, false))
                    .await
                    .map_err(rpc_error(METHOD))?;
                let number = found.and_then(|block| block.number);
                let Some(number) = number else {
                    return Ok(None);
                };
                (Some(hash.block_hash), format!("{number:#x}"))
            }
        };
        let found = self.block(&number, false).await?;
        let found = found.filter(|found| hash.is_none_or(|hash| found.hash == Some(hash)));
        let number = found.and_then(|found| found.number);
        Ok(number.map(|number| number.saturating_to()))
    }

    /// A block by number or tag; `None` if the node does not have it.
    pub(crate) async fn block(&self, number: &str, full: bool) -> Result<Option<Block>, Error> {
        let client = self.provider.client();
        let block = client.request("eth_getBlockByNumber", (number.to_owned(), full));
        match block.await {
            Ok(block) => Ok(block),
            Err(error) if error.as_error_resp().is_some() => Ok(None),
            Err(error) => Err(rpc_error("eth_getBlockByNumber")(error)),
        }
    }

    /// The receipt of a transaction that is included in a block.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn receipt(&self, hash: B256) -> Result<Option<TransactionReceipt>, Error> {
        Ok(self
            .receipt_with_fee(hash)
            .await?
            .map(|found| found.receipt))
    }

    pub(crate) async fn receipt_with_fee(&self, hash: B256) -> Result<Option<Receipt>, Error> {
        const METHOD: &str = "eth_getTransactionReceipt";
        let client = self.provider.client();
        let found: Option<Value> = client
            .request(METHOD, (hash,))
            .await
            .map_err(rpc_error(METHOD))?;
        let Some(value) = found else {
            return Ok(None);
        };
        let l1_fee = value.get("l1Fee").cloned();
        let l1_fee = l1_fee.and_then(|fee| serde_json::from_value(fee).ok());
        let receipt: TransactionReceipt = serde_json::from_value(value.clone())
            .map_err(|error| TransportError::deser_err(error, value.to_string()))
            .map_err(rpc_error(METHOD))?;
        Ok(receipt.block_number.is_some().then_some(Receipt {
            receipt,
            l1_fee: Wei(l1_fee.unwrap_or_default()),
        }))
    }

    /// Whether the node knows a transaction, pending or included.
    pub(crate) async fn knows(&self, hash: B256) -> Result<bool, Error> {
        const METHOD: &str = "eth_getTransactionByHash";
        let client = self.provider.client();
        let found: Result<Option<Value>, _> = client.request(METHOD, (hash,)).await;
        Ok(found.map_err(rpc_error(METHOD))?.is_some())
    }

    /// Sends a signed transaction. The caller interprets the error.
    ///
    /// # Errors
    ///
    /// When the node rejects the transaction or does not respond.
    pub async fn send_raw(&self, raw: &[u8]) -> Result<(), TransportError> {
        let text = hex::encode_prefixed(raw);
        let client = self.relay.client();
        let hash: Result<Value, _> = client.request("eth_sendRawTransaction", (text,)).await;
        hash.map(drop)
    }

    /// Runs a call on the latest state, optionally with another state of some accounts.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn simulate(
        &self,
        request: TransactionRequest,
        overrides: Option<StateOverride>,
    ) -> Result<CallResult, Error> {
        let latest = alloy::eips::BlockId::latest();
        let call = self.provider.call(request).block(latest);
        CallResult::from_response(call.overrides_opt(overrides).await)
    }

    /// Estimates gas, optionally with another state of some accounts. `Err` inside if execution fails.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn estimate_gas(
        &self,
        request: TransactionRequest,
        overrides: Option<StateOverride>,
    ) -> Result<Result<u64, (Bytes, String)>, Error> {
        let latest = alloy::eips::BlockId::latest();
        let estimate = self.provider.estimate_gas(request).block(latest);
        match estimate.overrides_opt(overrides).await {
            Ok(gas) => Ok(Ok(gas)),
            Err(error) => match execution_failure(&error) {
                Some(failure) => Ok(Err(failure)),
                None => Err(rpc_error("eth_estimateGas")(error)),
            },
        }
    }
}
