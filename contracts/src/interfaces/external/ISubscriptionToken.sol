// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title ISubscriptionToken
/// @notice The subset of an ERC-5643-style subscription collection that the predicates call.
interface ISubscriptionToken {
    /// @notice Returns the subscription token of an account.
    /// @param account The account.
    /// @return The token id, or 0 if the account has none.
    function tokenOfOwner(address account) external view returns (uint256);

    /// @notice Returns the expiration time of a subscription.
    /// @param tokenId The token id of the subscription.
    /// @return Unix timestamp in seconds.
    function expiresAt(uint256 tokenId) external view returns (uint64);

    /// @notice Returns the tier of a subscription. Higher tiers include lower tiers.
    /// @param tokenId The token id of the subscription.
    /// @return The tier.
    function tierOf(uint256 tokenId) external view returns (uint8);
}
