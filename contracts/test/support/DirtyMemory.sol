// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Fills free memory with ones, because Solidity does not guarantee that free memory is zero.
library DirtyMemory {
    /// @dev Overwrites `length` bytes of free memory, rounded up to words.
    function fill(uint256 length) internal pure {
        uint256 words = (length + 31) / 32;
        assembly ("memory-safe") {
            let free := mload(0x40)
            for { let i := 0 } lt(i, words) { i := add(i, 1) } { mstore(add(free, mul(i, 32)), not(0)) }
        }
    }
}
