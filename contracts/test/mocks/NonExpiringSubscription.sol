// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev A subscription token whose subscriptions never expire.
contract NonExpiringSubscription {
    mapping(address account => uint256) public tokenOfOwner;

    function mint(address account) external {
        tokenOfOwner[account] = 1;
    }

    function expiresAt(uint256) external pure returns (uint64) {
        return type(uint64).max;
    }

    function tierOf(uint256) external pure returns (uint8) {
        return 3;
    }
}
