// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Fresh memory happens to be zero; code that relies on it is wrong all the same.
library DirtyMemory {
    /// @dev Fills the memory that is not in use yet with ones.
    function spill(uint256 length) internal pure {
        uint256 words = (length + 31) / 32;
        assembly ("memory-safe") {
            let free := mload(0x40)
            for { let i := 0 } lt(i, words) { i := add(i, 1) } { mstore(add(free, mul(i, 32)), not(0)) }
        }
    }
}
