// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { DataReadingPredicate } from "test/mocks/DataReadingPredicate.sol";

/// @dev Advertises that it reads call data only to questions that come with the whole allowance: a starved one would make
///      it look like a predicate that can be negated.
contract FullAllowanceDataReadingPredicate is DataReadingPredicate {
    uint256 public constant GAS_NEEDED = 29_600;

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (gasleft() < GAS_NEEDED) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
