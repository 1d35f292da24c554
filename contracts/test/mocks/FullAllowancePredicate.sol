// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev An honest predicate that reverts unless an ERC-165 question comes with the whole allowance.
contract FullAllowancePredicate is HonestPredicate {
    uint256 public constant GAS_NEEDED = 29_700;

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (gasleft() < GAS_NEEDED) revert();
        return super.supportsInterface(interfaceId);
    }
}
