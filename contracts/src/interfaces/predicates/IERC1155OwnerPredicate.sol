// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @notice An ERC-1155 collection and a list of its token ids.
struct CollectionTokens {
    address collection;
    uint256[] tokenIds;
}

/// @title IERC1155OwnerPredicate
/// @notice Grants access to accounts that hold any of the configured ERC-1155 tokens.
/// @dev Calls `balanceOfBatch` once per collection. Access is granted if any balance is non-zero. Otherwise the result
///      is unknown if a call failed, and access is denied if none failed. Collections without code are skipped.
interface IERC1155OwnerPredicate is IConfiguredPredicate {
    /// @notice Emitted when the tokens of a tool are set. Replaces the previous tokens.
    /// @param toolId The tool id.
    /// @param tokens The tokens. If empty, access is denied to every account.
    event CollectionTokensSet(uint256 indexed toolId, CollectionTokens[] tokens);

    /// @notice The list cannot be checked within `MAX_GAS`. `gasToAsk` returns the gas per collection.
    /// @param gasNeeded The maximum gas needed to check the list.
    /// @param gasLimit  `MAX_GAS`.
    error TooManyTokens(uint256 gasNeeded, uint256 gasLimit);

    /// @notice A collection has no token ids.
    /// @param collection The collection.
    error NoTokenIds(address collection);

    /// @notice Returns the fixed part of the stipend of a collection.
    /// @return Gas.
    function GAS_PER_COLLECTION() external view returns (uint256);

    /// @notice Returns the part of the stipend of a collection per token id. The whole stipend is sufficient for an
    ///         OpenZeppelin token behind an ERC-1967 proxy with cold storage.
    /// @return Gas.
    function GAS_PER_TOKEN() external view returns (uint256);

    /// @notice Returns the maximum sum of `gasToAsk` over the collections of a tool. The remainder of the registry's
    ///         limit of 200,000 gas covers reading the list.
    /// @return Gas.
    function MAX_GAS() external view returns (uint256);

    /// @notice Sets the tokens of a tool. Only callable by the creator of the tool.
    /// @param toolId The tool id.
    /// @param tokens The tokens. Holding any of them grants access. If empty, access is denied to every account.
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens) external;

    /// @notice Returns the tokens of a tool.
    /// @param toolId The tool id.
    /// @return tokens The tokens. Empty if the tool is not configured.
    function getCollectionTokens(uint256 toolId) external view returns (CollectionTokens[] memory tokens);

    /// @notice Returns the maximum gas needed to check `count` token ids of one collection, as counted against
    ///         `MAX_GAS`.
    /// @param count The number of token ids.
    /// @return Gas.
    function gasToAsk(uint256 count) external pure returns (uint256);
}
