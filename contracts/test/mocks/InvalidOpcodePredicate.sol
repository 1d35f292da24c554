// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

contract InvalidOpcodePredicate is CompliantPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
