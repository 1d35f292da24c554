// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Grants access, but does not implement `supportsInterface`.
contract NonERC165Predicate {
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }
}
