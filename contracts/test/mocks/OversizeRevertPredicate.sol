// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Reverts any call with `size` bytes: the value 1 in the first 32 bytes, then zeros.
contract OversizeRevertPredicate {
    uint256 private immutable _SIZE;

    constructor(uint256 size) {
        _SIZE = size;
    }

    fallback() external {
        uint256 size = _SIZE;
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            mstore(ptr, 1)
            revert(ptr, size)
        }
    }
}
