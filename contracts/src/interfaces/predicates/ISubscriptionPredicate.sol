// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title ISubscriptionPredicate
/// @notice Lets in who holds a running subscription of at least a tier.
/// @dev A collection without code cannot be held and is a no; one that does not answer is "cannot tell".
interface ISubscriptionPredicate is IConfiguredPredicate {
    /// @notice The subscription a tool asks for was set.
    /// @param toolId     The tool.
    /// @param collection The subscriptions; the zero address denies everyone.
    /// @param minTier    The lowest tier that lets in.
    event ToolGatingConfigured(uint256 indexed toolId, address indexed collection, uint8 minTier);

    /// @notice Gas the collection gets for each of up to three answers.
    /// @return The amount of gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice Sets the subscription a tool asks for. Its creator only.
    /// @param toolId     The tool.
    /// @param collection The subscriptions; the zero address denies everyone.
    /// @param minTier    The lowest tier that lets in.
    function configureToolGating(uint256 toolId, address collection, uint8 minTier) external;

    /// @notice The subscription a tool asks for.
    /// @param toolId The tool.
    /// @return collection The subscriptions; zero also if never set.
    /// @return minTier    The lowest tier that lets in.
    function getToolGatingConfig(uint256 toolId) external view returns (address collection, uint8 minTier);

    /// @notice Where an account stands.
    /// @param toolId  The tool.
    /// @param account The account.
    /// @return hasNft       Whether it holds a subscription, running or not.
    /// @return tier         Its tier.
    /// @return requiredTier The lowest tier that lets in.
    /// @return expiration   When it ends.
    /// @return active       Whether it is running.
    function getSubscriptionStatus(uint256 toolId, address account)
        external
        view
        returns (bool hasNft, uint8 tier, uint8 requiredTier, uint64 expiration, bool active);
}
