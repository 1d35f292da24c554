// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Writes to its own storage in `hasAccess` and `supportsInterface`, then returns true.
contract StorageWritingPredicate {
    uint256 public writes;

    function hasAccess(uint256, address, bytes calldata) external returns (bool) {
        writes++;
        return true;
    }

    function supportsInterface(bytes4) external returns (bool) {
        writes++;
        return true;
    }
}
