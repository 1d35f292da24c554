//! Requests of a log stream.

use alloy::{
    providers::Provider,
    rpc::types::{Filter, Log},
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::{B256, Bloom, U64};
use serde::Deserialize;

use super::{BlockRef, LogBlock, Refusal};
use crate::{Error, Node, rpc_error};

const GET_BLOCK: &str = "eth_getBlockByNumber";

/// Reads headers, and the logs that match a filter.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    node: Node,
    filter: Filter,
}

/// The parts of a block that a stream uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) block: BlockRef,
    pub(super) parent_hash: B256,
    bloom: Option<Bloom>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RpcHeader {
    number: Option<U64>,
    hash: Option<B256>,
    parent_hash: B256,
    logs_bloom: Option<Bloom>,
}

impl Reader {
    pub(super) const fn new(node: Node, filter: Filter) -> Self {
        Self { node, filter }
    }

    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
    }

    /// The latest block.
    pub(super) async fn latest(&self) -> Result<Header, Error> {
        let latest = self.request_header("latest".to_owned()).await?;
        latest.ok_or_else(|| invalid(GET_BLOCK, "no latest block"))
    }

    /// A block by number; `None` if the node does not have it.
    pub(super) async fn header(&self, number: u64) -> Result<Option<Header>, Error> {
        let header = self.request_header(format!("{number:#x}")).await?;
        match header {
            Some(header) if header.block.number != number => {
                Err(invalid(GET_BLOCK, "another block was returned"))
            }
            header => Ok(header),
        }
    }

    async fn request_header(&self, number: String) -> Result<Option<Header>, Error> {
        let client = self.node.provider().client();
        let header: Result<Option<RpcHeader>, _> = client.request(GET_BLOCK, (number, false)).await;
        match header {
            Ok(Some(header)) => {
                let (Some(number), Some(hash)) = (header.number, header.hash) else {
                    return Err(invalid(GET_BLOCK, "the block has no number or no hash"));
                };
                Ok(Some(Header {
                    block: BlockRef {
                        number: number.to(),
                        hash,
                    },
                    parent_hash: header.parent_hash,
                    bloom: header.logs_bloom,
                }))
            }
            Ok(None) => Ok(None),
            Err(error) if Refusal::of(&error) == Some(Refusal::UnknownBlock) => Ok(None),
            Err(error) => Err(rpc_error(GET_BLOCK)(error)),
        }
    }

    /// The logs of one block. By hash: a node that does not have the block returns an error instead of an empty list.
    pub(super) async fn block_logs(&self, header: &Header) -> Result<Vec<Log>, TransportError> {
        let filter = self.filter.clone().at_block_hash(header.block.hash);
        let logs = self.logs(&filter).await?;
        if logs
            .iter()
            .any(|log| log.block_number != Some(header.block.number))
        {
            return Err(TransportErrorKind::custom_str("logs of another block"));
        }
        Ok(logs)
    }

    /// The blocks with logs in a range.
    pub(super) async fn range(&self, from: u64, to: u64) -> Result<Vec<LogBlock>, TransportError> {
        let filter = self.filter.clone().from_block(from).to_block(to);
        let logs = self.logs(&filter).await?;
        let mut blocks = Vec::new();
        for logs in logs.chunk_by(|a, b| a.block_number == b.block_number) {
            let (number, hash) = (logs[0].block_number, logs[0].block_hash);
            if logs.iter().any(|log| log.block_hash != hash) {
                return Err(TransportErrorKind::custom_str(
                    "logs of different blocks with the same number",
                ));
            }
            blocks.push(LogBlock {
                block: BlockRef {
                    number: number.unwrap_or_default(),
                    hash: hash.unwrap_or_default(),
                },
                parent_hash: None,
                logs: logs.into(),
            });
        }
        Ok(blocks)
    }

    /// The logs that match a filter, in order.
    async fn logs(&self, filter: &Filter) -> Result<Vec<Log>, TransportError> {
        let mut logs = self.node.provider().get_logs(filter).await?;
        let is_valid =
            |log: &Log| filter.rpc_matches(log) && log.log_index.is_some() && !log.removed;
        if !logs.iter().all(is_valid) {
            return Err(TransportErrorKind::custom_str(
                "logs that do not match the filter",
            ));
        }
        logs.sort_by_key(|log| (log.block_number, log.log_index));
        Ok(logs)
    }

    /// Whether an empty list of logs contradicts the header. Some nodes return an empty list for a block that they do not have
    /// yet. The bloom filter of a block with many logs matches everything, so it is considered only where a match is unlikely to be
    /// accidental. Some chains leave it empty.
    pub(super) fn expects_logs(&self, header: &Header) -> bool {
        /// An address and a topic set three bits each.
        const BITS: i32 = 6;
        const MAX_PROBABILITY: f64 = 1e-4;
        let Some(bloom) = header.bloom else {
            return false;
        };
        let ones: u32 = bloom.iter().map(|byte| byte.count_ones()).sum();
        let accident = (f64::from(ones) / 2048.0).powi(BITS);
        self.filter.matches_bloom(bloom) && accident < MAX_PROBABILITY
    }
}

/// A response that contradicts the request.
fn invalid(method: &'static str, reason: &'static str) -> Error {
    rpc_error(method)(TransportErrorKind::custom_str(reason))
}
