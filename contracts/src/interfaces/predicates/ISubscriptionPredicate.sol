// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title ISubscriptionPredicate
/// @notice Grants access to accounts with an active subscription of at least a minimum tier.
/// @dev If the collection has no code, access is denied. If a call to the collection fails, the result is unknown.
interface ISubscriptionPredicate is IConfiguredPredicate {
    /// @notice Emitted when the required subscription of a tool is set.
    /// @param toolId     The tool id.
    /// @param collection The subscription collection. If zero, access is denied to every account.
    /// @param minTier    The minimum tier.
    event ToolGatingConfigured(uint256 indexed toolId, address indexed collection, uint8 minTier);

    /// @notice Returns the stipend of each call to the collection. An access check makes up to three calls.
    /// @return Gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice Sets the required subscription of a tool. Only callable by the creator of the tool.
    /// @param toolId     The tool id.
    /// @param collection The subscription collection. If zero, access is denied to every account.
    /// @param minTier    The minimum tier.
    function configureToolGating(uint256 toolId, address collection, uint8 minTier) external;

    /// @notice Returns the required subscription of a tool.
    /// @param toolId The tool id.
    /// @return collection The subscription collection. Zero if the tool is not configured.
    /// @return minTier    The minimum tier.
    function getToolGatingConfig(uint256 toolId) external view returns (address collection, uint8 minTier);

    /// @notice Returns the subscription status of an account. Reverts if the result is unknown.
    /// @param toolId  The tool id.
    /// @param account The account.
    /// @return hasNft       Whether the account holds a subscription token, expired or not.
    /// @return tier         The tier of the subscription.
    /// @return requiredTier The minimum tier.
    /// @return expiration   The expiration time, as a Unix timestamp.
    /// @return active       Whether the subscription has not expired. Does not take the tier into account.
    function getSubscriptionStatus(uint256 toolId, address account)
        external
        view
        returns (bool hasNft, uint8 tier, uint8 requiredTier, uint64 expiration, bool active);
}
