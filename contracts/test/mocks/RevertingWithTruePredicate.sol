// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Reverts with revert data that decodes as `true`.
contract RevertingWithTruePredicate is CompliantPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        assembly ("memory-safe") {
            mstore(0x00, 1)
            revert(0x00, 0x20)
        }
    }
}
