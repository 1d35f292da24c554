//! Block argument of commands that read.

use std::str::FromStr;

use alloy::eips::BlockId;
use atr_registry::Registry;
use atr_rpc::Node;

use super::Bytes32;
use crate::{args::InvalidValue, error::Error};

/// Options of every command that only reads.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BlockArgs {
    /// Block to read at: a number, a hash, `latest`, `safe` or `finalized` [default: latest]
    ///
    /// Older blocks need a node that keeps their state.
    #[arg(long, value_name = "BLOCK")]
    block: Option<BlockArg>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockArg {
    id: BlockId,
    text: String,
}

impl FromStr for BlockArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = || {
            let number = atr_ids::parse_decimal(text).ok()?;
            Some(BlockId::number(number.try_into().ok()?))
        };
        let hash = || {
            let Bytes32(hash) = text.parse().ok()?;
            Some(BlockId::hash(hash))
        };
        let id = match text {
            "latest" => Some(BlockId::latest()),
            "safe" => Some(BlockId::safe()),
            "finalized" => Some(BlockId::finalized()),
            _ => number().or_else(hash),
        };
        let text = atr_ids::excerpt_with_limit(text, 66);
        match id {
            Some(id) => Ok(Self { id, text }),
            None => Err(InvalidValue::Block { found: text }),
        }
    }
}

impl BlockArgs {
    /// The registry at the selected block. A tag or hash is resolved once, so that all reads see the same block.
    pub(crate) async fn apply(&self, registry: Registry) -> eyre::Result<Registry> {
        let Some(BlockArg { id, text }) = &self.block else {
            return Ok(registry);
        };
        let node = Node::from_provider(registry.provider().clone());
        match node.canonical_block(*id).await? {
            Some(number) => Ok(registry.at_block(number)),
            None => Err(Error::NoBlock {
                block: text.clone(),
                chain_id: registry.chain_id(),
            }
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_numbers_hashes_and_tags() {
        let hash = format!("0x{}", "ab".repeat(32));
        for text in ["0", "123", "latest", "safe", "finalized", &hash] {
            assert!(text.parse::<BlockArg>().is_ok(), "{text}");
        }
        for text in ["", "-1", "0x10", "pending", "1.5", "18446744073709551616"] {
            assert!(text.parse::<BlockArg>().is_err(), "{text}");
        }
    }
}
