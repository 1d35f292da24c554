// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @notice An ERC-1155 collection and a list of its token ids.
struct CollectionTokens {
    address collection;
    uint256[] tokenIds;
}

/// @title IERC1155OwnerPredicate
/// @notice Grants access to accounts that hold any of the configured ERC-1155 tokens.
/// @dev Calls `balanceOfBatch` once per collection. Access is granted if any balance is non-zero. Otherwise the result
///      is unknown if a call failed, and access is denied if none failed. Access is denied to the zero address.
///
///      Stipends are stated per unit: a collection with k token ids has a stipend of (4 + k) units. By default a unit is
///      2,800 gas, and a failed call is repeated with units of 140,000 gas divided by the number of units of the tool, or
///      less if this would not fit in the registry's limit of 200,000 gas after a failed call. In lists of more than
///      31 units a failed call may not be repeated (`getStipends`).
interface IERC1155OwnerPredicate is IStipendPredicate {
    /// @notice Emitted when the tokens of a tool are set. Replaces the previous tokens.
    /// @param toolId The tool id.
    /// @param tokens The tokens. If empty, access is denied to every account.
    event CollectionTokensSet(uint256 indexed toolId, CollectionTokens[] tokens);

    /// @notice The list has more than `MAX_UNITS` units: 4 per collection and 1 per token id.
    /// @param units The number of units.
    /// @param max   `MAX_UNITS`.
    error TooManyTokens(uint256 units, uint256 max);

    /// @notice A collection has no token ids.
    /// @param index The index of the collection.
    error EmptyTokenIds(uint256 index);

    /// @notice The collection has no code.
    /// @param collection The collection.
    error CollectionNoCode(address collection);

    /// @notice Returns the maximum number of units of a tool. If all collections use their full stipend, the check still
    ///         fits in the registry's limit of 200,000 gas.
    /// @return The number of units.
    function MAX_UNITS() external view returns (uint256);

    /// @notice Sets the tokens of a tool, with the default stipends. Only callable by the creator of the tool.
    /// @dev Assumes that `balanceOfBatch` of a collection is zero for accounts that hold no token.
    /// @param toolId The tool id.
    /// @param tokens The tokens. Holding any of them grants access. If empty, access is denied to every account.
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens) external;

    /// @notice Sets the tokens of a tool and the stipend per unit. Only callable by the creator of the tool.
    /// @param toolId  The tool id.
    /// @param tokens  The tokens.
    /// @param stipend Gas per unit.
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens, uint256 stipend) external;

    /// @notice Returns the tokens of a tool.
    /// @param toolId The tool id.
    /// @return tokens The tokens. Empty if the tool is not configured.
    function getCollectionTokens(uint256 toolId) external view returns (CollectionTokens[] memory tokens);
}
