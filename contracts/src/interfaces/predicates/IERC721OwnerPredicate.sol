// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IERC721OwnerPredicate
/// @notice Lets in who holds a token of any of the tool's collections.
/// @dev Any yes grants. Without one, a collection that does not answer makes the whole "cannot tell"; a collection without
///      code cannot be held and is a no.
interface IERC721OwnerPredicate is IConfiguredPredicate {
    /// @notice The collections of a tool were set, in place of all before.
    /// @param toolId      The tool.
    /// @param collections All of them; none denies everyone.
    event CollectionsSet(uint256 indexed toolId, address[] collections);

    /// @notice More collections than could be asked inside the registry's gas limit.
    /// @param count How many were given.
    /// @param max   How many there may be.
    error TooManyCollections(uint256 count, uint256 max);

    /// @notice Gas a collection gets for its answer: enough for an OpenZeppelin token behind an ERC-1967 proxy, all cold.
    /// @return The amount of gas.
    function GAS_PER_COLLECTION() external view returns (uint256);

    /// @notice How many collections a tool can have: as many as fit into the registry's 200,000 gas if each of them uses
    ///         all it gets.
    /// @return The value.
    function MAX_COLLECTIONS() external view returns (uint256);

    /// @notice Sets the collections of a tool. Its creator only.
    /// @param toolId      The tool.
    /// @param collections Any of these lets in; none denies everyone.
    function setCollections(uint256 toolId, address[] calldata collections) external;

    /// @notice The collections of a tool.
    /// @param toolId The tool.
    /// @return collections All of them; none also if they were never set.
    function getCollections(uint256 toolId) external view returns (address[] memory collections);
}
