// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Grants access after consuming slightly more than a given amount of gas.
contract GasConsumingPredicate is CompliantPredicate {
    uint256 private immutable _GAS;

    constructor(uint256 gasAmount) {
        _GAS = gasAmount;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        uint256 start = gasleft();
        while (start - gasleft() < _GAS) { }
        return true;
    }
}
