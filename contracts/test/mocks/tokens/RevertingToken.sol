// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Reverts with revert data that decodes as 1.
contract RevertingToken {
    fallback() external {
        assembly ("memory-safe") {
            mstore(0x00, 1)
            revert(0x00, 0x20)
        }
    }
}
