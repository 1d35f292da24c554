// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";

/// @dev A subscription token. Anyone can set any account's subscription.
contract PlainSubscription is ISubscriptionToken {
    struct Subscription {
        uint64 expiresAt;
        uint8 tier;
    }

    mapping(address account => uint256) public tokenOfOwner;
    mapping(uint256 tokenId => Subscription) private _subscriptions;

    function set(address account, uint256 tokenId, uint64 end, uint8 tier) external {
        tokenOfOwner[account] = tokenId;
        _subscriptions[tokenId] = Subscription(end, tier);
    }

    function expiresAt(uint256 tokenId) external view returns (uint64) {
        return _subscriptions[tokenId].expiresAt;
    }

    function tierOf(uint256 tokenId) external view returns (uint8) {
        return _subscriptions[tokenId].tier;
    }
}
