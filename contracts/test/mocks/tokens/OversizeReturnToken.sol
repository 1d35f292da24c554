// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns 64 bytes to any call: two given values.
contract OversizeReturnToken {
    uint256 private immutable _FIRST;
    uint256 private immutable _SECOND;

    constructor(uint256 first, uint256 second) {
        (_FIRST, _SECOND) = (first, second);
    }

    fallback() external {
        uint256 first = _FIRST;
        uint256 second = _SECOND;
        assembly ("memory-safe") {
            mstore(0x00, first)
            mstore(0x20, second)
            return(0x00, 0x40)
        }
    }
}
