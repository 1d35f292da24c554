// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

contract GrantingPredicate is CompliantPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }
}
