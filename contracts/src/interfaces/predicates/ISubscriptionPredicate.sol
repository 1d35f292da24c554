// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "../IToolRegistry.sol";
import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @title ISubscriptionPredicate
/// @notice Grants access to accounts with an active subscription of at least a minimum tier.
/// @dev An access check calls the collection up to three times. If a call fails, the result is unknown. Access is denied
///      to the zero address.
interface ISubscriptionPredicate is IStipendPredicate {
    /// @notice Emitted when the required subscription of a tool is set.
    /// @param toolId     The tool id.
    /// @param collection The subscription collection.
    /// @param minTier    The minimum tier.
    event ToolGatingConfigured(uint256 indexed toolId, address indexed collection, uint8 minTier);

    /// @notice The collection is the zero address.
    error ZeroCollection();

    /// @notice The collection has no code.
    /// @param collection The collection.
    error CollectionNotAContract(address collection);

    /// @notice Returns the registry whose tools can be configured. The same as `REGISTRY`.
    /// @return The registry.
    function registry() external view returns (IToolRegistry);

    /// @notice Sets the required subscription of a tool, with the default stipends. Only callable by the creator of the
    ///         tool.
    /// @dev Assumes that the collection never assigns token id 0, and one token per account at most.
    /// @param toolId     The tool id.
    /// @param collection The subscription collection.
    /// @param minTier    The minimum tier.
    function configureToolGating(uint256 toolId, address collection, uint8 minTier) external;

    /// @notice Sets the required subscription of a tool and the stipend of each call to the collection. Only callable by
    ///         the creator of the tool.
    /// @param toolId     The tool id.
    /// @param collection The subscription collection.
    /// @param minTier    The minimum tier.
    /// @param stipend    Gas per call.
    function configureToolGating(uint256 toolId, address collection, uint8 minTier, uint256 stipend) external;

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
    /// @return active       Whether the account has access: the subscription has not expired and has the minimum tier.
    function getSubscriptionStatus(uint256 toolId, address account)
        external
        view
        returns (bool hasNft, uint8 tier, uint8 requiredTier, uint64 expiration, bool active);
}
