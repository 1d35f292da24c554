// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev A valid predicate whose `supportsInterface` reverts unless it receives nearly the full ERC-165 gas limit of
///      30,000.
contract FullStipendPredicate is CompliantPredicate {
    uint256 public constant GAS_NEEDED = 29_700;

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (gasleft() < GAS_NEEDED) revert();
        return super.supportsInterface(interfaceId);
    }
}
