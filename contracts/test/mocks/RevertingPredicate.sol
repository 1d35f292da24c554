// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

contract RevertingPredicate is HonestPredicate {
    error CannotTell();

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        revert CannotTell();
    }
}
