// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Grants, but has never heard of ERC-165: every question about interfaces reverts.
contract UnadvertisedPredicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }
}
