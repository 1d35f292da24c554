//! ABI encodings with arbitrary bytes as string: a URI on chain need not be UTF-8.

use alloy_primitives::{Address, B256, U256};

/// `uint256` as `bytes32`.
pub(crate) fn number(value: usize) -> B256 {
    U256::from(value).into()
}

/// The length and the bytes, padded to whole words.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    let mut tail = number(bytes.len()).to_vec();
    tail.extend_from_slice(bytes);
    tail.resize(32 + bytes.len().div_ceil(32) * 32, 0);
    tail
}

/// `abi.encode(string, bytes32)`.
pub(crate) fn uri_and_hash(uri: &[u8], hash: B256) -> Vec<u8> {
    [number(64).as_slice(), hash.as_slice(), &with_length(uri)].concat()
}

/// `abi.encode(ToolConfig)`.
pub(crate) fn tool_config(creator: Address, uri: &[u8], hash: B256, predicate: Address) -> Vec<u8> {
    [
        number(32).as_slice(),
        creator.into_word().as_slice(),
        number(128).as_slice(),
        hash.as_slice(),
        predicate.into_word().as_slice(),
        &with_length(uri),
    ]
    .concat()
}
