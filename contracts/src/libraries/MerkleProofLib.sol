// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title MerkleProofLib
/// @notice Merkle proofs over sorted pairs.
library MerkleProofLib {
    /// @dev Returns the root that follows from `leaf` and the concatenated elements of `proof`. The length of `proof`
    ///      must be a multiple of 32.
    function root(bytes32 leaf, bytes calldata proof) internal pure returns (bytes32 node) {
        node = leaf;
        // Equivalent to:
        //     for each element of proof:
        //         node = node < element ? keccak256(bytes.concat(node, element)) : keccak256(bytes.concat(element, node));
        // The pair is hashed in the scratch space at 0x00 to 0x3f. The smaller hash is stored at 0x00: its offset is 0,
        // that of the other one 0x20.
        assembly ("memory-safe") {
            let end := add(proof.offset, proof.length)
            for { let at := proof.offset } lt(at, end) { at := add(at, 0x20) } {
                let element := calldataload(at)
                let offset := shl(5, lt(element, node))
                mstore(offset, node)
                mstore(xor(offset, 0x20), element)
                node := keccak256(0x00, 0x40)
            }
        }
    }
}
