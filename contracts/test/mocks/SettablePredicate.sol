// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Returns the value last set.
contract SettablePredicate is CompliantPredicate {
    bool public granted;

    function setGranted(bool newGranted) external {
        granted = newGranted;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return granted;
    }
}
