// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Answers everything with the word 1 and zeros behind it, `size` bytes together.
contract OversizeReturnPredicate {
    uint256 private immutable _SIZE;

    constructor(uint256 size) {
        _SIZE = size;
    }

    fallback() external {
        uint256 size = _SIZE;
        assembly ("memory-safe") {
            let answer := mload(0x40)
            mstore(answer, 1)
            return(answer, size)
        }
    }
}
