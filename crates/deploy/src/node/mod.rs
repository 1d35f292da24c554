//! Connection to a node.

mod transport;

use alloy::{
    network::Ethereum,
    providers::{DynProvider, Provider, RootProvider},
    rpc::{
        client::RpcClient,
        types::{
            TransactionReceipt, TransactionRequest,
            state::{AccountOverride, StateOverride},
        },
    },
    transports::TransportError,
};
use alloy_primitives::{Address, B256, Bytes, U256, hex};
use atr_fetch::HttpClient;
use atr_registry::Contract;
use url::Url;

use self::transport::NodeTransport;
use crate::Error;

/// A connection to a node. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Node {
    provider: DynProvider<Ethereum>,
}

impl Node {
    /// A connection to the node at a URL, with retries. Sends nothing yet.
    #[must_use]
    pub fn new(client: HttpClient, url: Url) -> Self {
        let rpc = RpcClient::new(NodeTransport::new(client, url), false);
        Self::from_provider(RootProvider::<Ethereum>::new(rpc).erased())
    }

    /// A connection through an existing provider.
    #[must_use]
    pub const fn from_provider(provider: DynProvider<Ethereum>) -> Self {
        Self { provider }
    }

    /// The provider.
    #[must_use]
    pub const fn provider(&self) -> &DynProvider<Ethereum> {
        &self.provider
    }

    /// Requests the chain id.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn chain_id(&self) -> Result<u64, Error> {
        let id = self.provider.get_chain_id().await;
        id.map_err(rpc_error("eth_chainId"))
    }

    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(address).latest().await;
        code.map_err(rpc_error("eth_getCode"))
    }

    pub(crate) async fn balance(&self, address: Address) -> Result<U256, Error> {
        let balance = self.provider.get_balance(address).latest().await;
        balance.map_err(rpc_error("eth_getBalance"))
    }

    /// Number of included transactions of an account.
    pub(crate) async fn nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).latest().await;
        count.map_err(rpc_error("eth_getTransactionCount"))
    }

    /// As [`Self::nonce`], including pending transactions.
    pub(crate) async fn pending_nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).pending().await;
        count.map_err(rpc_error("eth_getTransactionCount"))
    }

    pub(crate) async fn block_number(&self) -> Result<u64, Error> {
        let number = self.provider.get_block_number().await;
        number.map_err(rpc_error("eth_blockNumber"))
    }

    pub(crate) async fn receipt(&self, hash: B256) -> Result<Option<TransactionReceipt>, Error> {
        let receipt = self.provider.get_transaction_receipt(hash).await;
        receipt.map_err(rpc_error("eth_getTransactionReceipt"))
    }

    /// Sends a signed transaction. The caller interprets the error.
    pub(crate) async fn send_raw(&self, raw: &[u8]) -> Result<B256, TransportError> {
        let text = hex::encode_prefixed(raw);
        self.provider
            .client()
            .request("eth_sendRawTransaction", (text,))
            .await
    }

    /// Estimates gas, optionally with other code at an address.
    pub(crate) async fn estimate_gas(
        &self,
        request: TransactionRequest,
        code_override: Option<(Address, Bytes)>,
    ) -> Result<u64, Error> {
        let overrides = code_override.map(|(address, code)| {
            let account = AccountOverride::default().with_code(code);
            StateOverride::from_iter([(address, account)])
        });
        let latest = alloy::eips::BlockId::latest();
        let estimate = self.provider.estimate_gas(request).block(latest);
        let estimate = estimate.overrides_opt(overrides).await;
        estimate.map_err(rpc_error("eth_estimateGas"))
    }

    pub(crate) fn contract(&self, address: Address) -> Contract<'_> {
        Contract::new(&self.provider, address)
    }
}

/// Adds the name of the RPC method to a transport error.
pub(crate) fn rpc_error(method: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Node {
        method,
        source: Box::new(source),
    }
}
