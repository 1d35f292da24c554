// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev `supportsInterface` is correct but consumes about 29,000 gas.
contract ExpensiveProbePredicate is CompliantPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        uint256 start = gasleft();
        while (start - gasleft() < 28_600) { }
        return super.supportsInterface(interfaceId);
    }
}
