// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Reverts, and the revert data read like a yes.
contract RevertingWithTruePredicate is HonestPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        assembly ("memory-safe") {
            mstore(0x00, 1)
            revert(0x00, 0x20)
        }
    }
}
