//! The latest block.

use alloy::{
    providers::Provider,
    rpc::client::BatchRequest,
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::{B256, U64};
use serde::Deserialize;

use super::Node;
use crate::{Error, rpc_error};

const METHOD: &str = "eth_getBlockByNumber";

/// Identity and time of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Head {
    pub number: u64,
    pub hash: B256,
    /// Seconds since 1970.
    pub timestamp: u64,
}

#[derive(Debug, Deserialize)]
struct Header {
    number: Option<U64>,
    hash: Option<B256>,
    timestamp: U64,
}

impl Header {
    fn head(self) -> Option<Head> {
        Some(Head {
            number: self.number?.to(),
            hash: self.hash?,
            timestamp: self.timestamp.to(),
        })
    }
}

impl Node {
    /// The latest block of the expected chain. Chain id and block come from one request, so that they come from one node.
    ///
    /// # Errors
    ///
    /// When the RPC request fails or the node is on another chain.
    pub async fn head(&self, chain_id: u64) -> Result<Head, Error> {
        let (found, header) = match self.head_batch().await {
            Ok(found) => found,
            // Not every node supports batches.
            Err(error) if error.is_error_resp() || error.is_deser_error() || is_http(&error) => {
                (self.chain_id(None).await?, self.header("latest").await?)
            }
            Err(error) => return Err(rpc_error(METHOD)(error)),
        };
        if found != chain_id {
            return Err(Error::WrongChain {
                expected: chain_id,
                found,
            });
        }
        header.and_then(Header::head).ok_or_else(|| {
            let missing = TransportErrorKind::custom_str("the node has no latest block");
            rpc_error(METHOD)(missing)
        })
    }

    /// Hash of the block with this number in the node's chain; `None` if the node does not have it.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn block_hash(&self, number: u64) -> Result<Option<B256>, Error> {
        let header = self.header(&format!("{number:#x}")).await?;
        Ok(header.and_then(|header| header.hash))
    }

    async fn head_batch(&self) -> Result<(u64, Option<Header>), TransportError> {
        let mut batch = BatchRequest::new(self.provider.client());
        let chain = batch.add_call::<_, U64>("eth_chainId", &())?;
        let header = batch.add_call::<_, Option<Header>>(METHOD, &("latest", false))?;
        batch.send().await?;
        Ok((chain.await?.to(), header.await?))
    }

    async fn header(&self, number: &str) -> Result<Option<Header>, Error> {
        let header = self
            .provider
            .client()
            .request(METHOD, (number.to_owned(), false));
        header.await.map_err(rpc_error(METHOD))
    }
}

fn is_http(error: &TransportError) -> bool {
    let is_http = |kind: &TransportErrorKind| matches!(kind, TransportErrorKind::HttpError(_));
    error.as_transport_err().is_some_and(is_http)
}
