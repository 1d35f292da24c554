// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IERC721OwnerPredicate
/// @notice Grants access to accounts that hold a token of any of the configured ERC-721 collections.
/// @dev Access is granted if any balance is non-zero. Otherwise the result is unknown if a call failed, and access is
///      denied if none failed. Collections without code are skipped.
interface IERC721OwnerPredicate is IConfiguredPredicate {
    /// @notice Emitted when the collections of a tool are set. Replaces the previous collections.
    /// @param toolId      The tool id.
    /// @param collections The collections. If empty, access is denied to every account.
    event CollectionsSet(uint256 indexed toolId, address[] collections);

    /// @notice More than `MAX_COLLECTIONS` collections.
    /// @param count The number of collections.
    /// @param max   `MAX_COLLECTIONS`.
    error TooManyCollections(uint256 count, uint256 max);

    /// @notice Returns the stipend of the `balanceOf` call per collection. Sufficient for an OpenZeppelin token behind
    ///         an ERC-1967 proxy with cold storage.
    /// @return Gas.
    function GAS_PER_COLLECTION() external view returns (uint256);

    /// @notice Returns the maximum number of collections of a tool. If all of them use their full stipend, the check
    ///         still fits in the registry's limit of 200,000 gas.
    /// @return The number of collections.
    function MAX_COLLECTIONS() external view returns (uint256);

    /// @notice Sets the collections of a tool. Only callable by the creator of the tool.
    /// @param toolId      The tool id.
    /// @param collections The collections. Holding a token of any of them grants access. If empty, access is denied to
    ///                    every account.
    function setCollections(uint256 toolId, address[] calldata collections) external;

    /// @notice Returns the collections of a tool.
    /// @param toolId The tool id.
    /// @return collections The collections. Empty if the tool is not configured.
    function getCollections(uint256 toolId) external view returns (address[] memory collections);
}
