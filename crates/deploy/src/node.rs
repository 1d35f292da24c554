//! A node, and the few questions we have for it.

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

use crate::{Error, transport::NodeTransport};

/// A node. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Node {
    provider: DynProvider<Ethereum>,
}

impl Node {
    /// Talks to the node at a URL through the operator's door. Nothing is sent yet.
    #[must_use]
    pub fn new(door: HttpClient, url: Url) -> Self {
        let client = RpcClient::new(NodeTransport::new(door, url), false);
        Self::of_provider(RootProvider::<Ethereum>::new(client).erased())
    }

    /// Talks through a provider somebody else has set up.
    #[must_use]
    pub const fn of_provider(provider: DynProvider<Ethereum>) -> Self {
        Self { provider }
    }

    /// The provider, for questions this room does not ask.
    #[must_use]
    pub const fn provider(&self) -> &DynProvider<Ethereum> {
        &self.provider
    }

    /// The chain it is on.
    ///
    /// # Errors
    ///
    /// When it does not answer.
    pub async fn chain_id(&self) -> Result<u64, Error> {
        let id = self.provider.get_chain_id().await;
        id.map_err(failed("eth_chainId"))
    }

    pub(crate) async fn code(&self, address: Address) -> Result<Bytes, Error> {
        let code = self.provider.get_code_at(address).latest().await;
        code.map_err(failed("eth_getCode"))
    }

    pub(crate) async fn balance(&self, address: Address) -> Result<U256, Error> {
        let balance = self.provider.get_balance(address).latest().await;
        balance.map_err(failed("eth_getBalance"))
    }

    /// How many transactions of an account are in blocks.
    pub(crate) async fn nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).latest().await;
        count.map_err(failed("eth_getTransactionCount"))
    }

    /// The same, those that wait included.
    pub(crate) async fn pending_nonce(&self, address: Address) -> Result<u64, Error> {
        let count = self.provider.get_transaction_count(address).pending().await;
        count.map_err(failed("eth_getTransactionCount"))
    }

    pub(crate) async fn block_number(&self) -> Result<u64, Error> {
        let number = self.provider.get_block_number().await;
        number.map_err(failed("eth_blockNumber"))
    }

    pub(crate) async fn receipt(&self, hash: B256) -> Result<Option<TransactionReceipt>, Error> {
        let receipt = self.provider.get_transaction_receipt(hash).await;
        receipt.map_err(failed("eth_getTransactionReceipt"))
    }

    /// Sends a transaction that is signed. What the node says of it is for the caller to understand.
    pub(crate) async fn send_raw(&self, raw: &[u8]) -> Result<B256, TransportError> {
        let text = hex::encode_prefixed(raw);
        self.provider
            .client()
            .request("eth_sendRawTransaction", (text,))
            .await
    }

    /// Gas of a call. Code may be put at an address for the sake of the question, where it is not yet in reality.
    pub(crate) async fn estimate(
        &self,
        request: TransactionRequest,
        as_if: Option<(Address, Bytes)>,
    ) -> Result<u64, Error> {
        let overrides = as_if.map(|(address, code)| {
            let account = AccountOverride::default().with_code(code);
            StateOverride::from_iter([(address, account)])
        });
        let latest = alloy::eips::BlockId::latest();
        let estimate = self.provider.estimate_gas(request).block(latest);
        let estimate = estimate.overrides_opt(overrides).await;
        estimate.map_err(failed("eth_estimateGas"))
    }

    /// A contract, to be asked for its marks.
    pub(crate) fn contract(&self, address: Address) -> Contract<'_> {
        Contract::new(&self.provider, address)
    }
}

/// Says what was asked when there was no answer.
pub(crate) fn failed(asked: &'static str) -> impl FnOnce(TransportError) -> Error {
    move |source| Error::Node {
        asked,
        source: Box::new(source),
    }
}
