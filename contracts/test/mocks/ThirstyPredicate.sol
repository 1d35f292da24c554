// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Says yes after burning a given amount of gas, and a few dozen more.
contract ThirstyPredicate is HonestPredicate {
    uint256 private immutable _THIRST;

    constructor(uint256 thirst) {
        _THIRST = thirst;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        uint256 start = gasleft();
        while (start - gasleft() < _THIRST) { }
        return true;
    }
}
