// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title ISubscriptionToken
/// @notice What we ask of an ERC-5643-style collection whose tokens are subscriptions.
interface ISubscriptionToken {
    /// @notice The subscription an account holds.
    /// @param account The account.
    /// @return Its token id; 0 for none.
    function tokenOfOwner(address account) external view returns (uint256);

    /// @notice When a subscription ends.
    /// @param tokenId The subscription.
    /// @return Seconds since 1970.
    function expiresAt(uint256 tokenId) external view returns (uint64);

    /// @notice The tier of a subscription; higher is more.
    /// @param tokenId The subscription.
    /// @return The tier.
    function tierOf(uint256 tokenId) external view returns (uint8);
}
