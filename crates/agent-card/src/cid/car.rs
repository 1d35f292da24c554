//! CAR files (content-addressable archives) of version 1.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::{
    Cid, IDENTITY, SHA2_256,
    dag_pb::{read_varint, take},
};

/// Size of a CAR.
pub const MAX_CAR_BYTES: usize = 8 << 20;

/// Number of blocks of a CAR.
pub const MAX_CAR_BLOCKS: usize = 4_096;

/// Size of the header: one root needs 58 bytes.
const MAX_HEADER_BYTES: u64 = 4_096;

/// The blocks of a CAR. Each was hashed and compared with its CID.
#[derive(Debug)]
pub struct Car<'a> {
    /// By multihash: CIDs of version 0 and 1 name the same block.
    blocks: HashMap<Vec<u8>, &'a [u8]>,
}

/// Why a CAR is not used. None of them says anything about the card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum CarError {
    #[error("larger than {MAX_CAR_BYTES} bytes, or more than {MAX_CAR_BLOCKS} blocks")]
    TooLarge,
    #[error("the header is not that of a CAR of version 1")]
    Header,
    #[error("malformed or truncated at byte {at}")]
    Malformed { at: usize },
    #[error("hash function {code:#x} of block {cid} is not supported")]
    HashFunction { cid: String, code: u64 },
    #[error("the content of block {cid} does not have its hash")]
    WrongHash { cid: String },
}

impl<'a> Car<'a> {
    /// Reads a CAR and checks the hash of every block. The roots in the header are ignored: the caller knows the root.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CarError> {
        if bytes.len() > MAX_CAR_BYTES {
            return Err(CarError::TooLarge);
        }
        let mut rest = bytes;
        let length = read_varint(&mut rest).filter(|length| *length <= MAX_HEADER_BYTES);
        let header = length.and_then(|length| take(&mut rest, length));
        if !header.is_some_and(is_version_1) {
            return Err(CarError::Header);
        }
        let mut blocks = HashMap::new();
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let malformed = || CarError::Malformed { at };
            let length = read_varint(&mut rest).ok_or_else(malformed)?;
            let mut block = take(&mut rest, length).ok_or_else(malformed)?;
            let cid = Cid::read_bytes(&mut block).map_err(|_| malformed())?;
            check_hash(&cid, block)?;
            blocks.insert(cid.hash().to_bytes(), block);
            if blocks.len() > MAX_CAR_BLOCKS {
                return Err(CarError::TooLarge);
            }
        }
        Ok(Self { blocks })
    }

    /// The content of a block.
    #[must_use]
    pub fn block(&self, cid: &Cid) -> Option<&[u8]> {
        self.blocks.get(&cid.hash().to_bytes()).copied()
    }

    /// Number of different blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

fn check_hash(cid: &Cid, block: &[u8]) -> Result<(), CarError> {
    let is_right = match cid.hash().code() {
        SHA2_256 => cid.hash().digest() == &Sha256::digest(block)[..],
        IDENTITY => cid.hash().digest() == block,
        code => {
            return Err(CarError::HashFunction {
                cid: cid.to_string(),
                code,
            });
        }
    };
    if is_right {
        Ok(())
    } else {
        Err(CarError::WrongHash {
            cid: cid.to_string(),
        })
    }
}

/// Whether a header is a DAG-CBOR map of `roots` and `version`, with version 1.
fn is_version_1(header: &[u8]) -> bool {
    // In DAG-CBOR, map keys are sorted by length: `roots` is first, and `version` is at the end.
    let Some(rest) = header.strip_prefix(b"\xa2\x65roots") else {
        return false;
    };
    rest.ends_with(b"\x67version\x01")
}
