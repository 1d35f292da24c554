// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @title IERC721OwnerPredicate
/// @notice Grants access to accounts that hold a token of any of the configured ERC-721 collections.
/// @dev Access is granted if any balance is non-zero. Otherwise the result is unknown if a call failed, and access is
///      denied if none failed. Access is denied to the zero address.
interface IERC721OwnerPredicate is IStipendPredicate {
    /// @notice Emitted when the collections of a tool are set. Replaces the previous collections.
    /// @param toolId      The tool id.
    /// @param collections The collections. If empty, access is denied to every account.
    event CollectionsSet(uint256 indexed toolId, address[] collections);

    /// @notice More than `MAX_COLLECTIONS_PER_TOOL` collections.
    /// @param count The number of collections.
    /// @param max   `MAX_COLLECTIONS_PER_TOOL`.
    error TooManyCollections(uint256 count, uint256 max);

    /// @notice The collection has no code.
    /// @param collection The collection.
    error CollectionNoCode(address collection);

    /// @notice Returns the maximum number of collections of a tool. If all of them use their full stipend, the check
    ///         still fits in the registry's limit of 200,000 gas.
    /// @return The number of collections.
    function MAX_COLLECTIONS_PER_TOOL() external view returns (uint256);

    /// @notice Sets the collections of a tool, with the default stipends. Only callable by the creator of the tool.
    /// @dev Assumes that `balanceOf` of a collection is zero for accounts that hold no token.
    /// @param toolId      The tool id.
    /// @param collections The collections. Holding a token of any of them grants access. If empty, access is denied to
    ///                    every account.
    function setCollections(uint256 toolId, address[] calldata collections) external;

    /// @notice Sets the collections of a tool and the stipend of each `balanceOf` call. Only callable by the creator
    ///         of the tool.
    /// @param toolId      The tool id.
    /// @param collections The collections.
    /// @param stipend     Gas per collection.
    function setCollections(uint256 toolId, address[] calldata collections, uint256 stipend) external;

    /// @notice Returns the collections of a tool.
    /// @param toolId The tool id.
    /// @return collections The collections. Empty if the tool is not configured.
    function getCollections(uint256 toolId) external view returns (address[] memory collections);
}
