// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @notice Some token ids of one ERC-1155 collection.
struct CollectionTokens {
    address collection;
    uint256[] tokenIds;
}

/// @title IERC1155OwnerPredicate
/// @notice Lets in who holds any of the tool's ERC-1155 tokens.
/// @dev Each collection is asked once, for all its ids (`balanceOfBatch`). Any balance grants. Without one, a collection
///      that does not answer makes the whole "cannot tell"; a collection without code cannot be held and is a no.
interface IERC1155OwnerPredicate is IConfiguredPredicate {
    /// @notice The tokens of a tool were set, in place of all before.
    /// @param toolId The tool.
    /// @param tokens All of them; none denies everyone.
    event CollectionTokensSet(uint256 indexed toolId, CollectionTokens[] tokens);

    /// @notice The list could not be asked inside the registry's gas limit. `gasToAsk` says what a collection
    ///         counts.
    /// @param gasNeeded What asking it could cost.
    /// @param gasLimit  What it may cost.
    error TooManyTokens(uint256 gasNeeded, uint256 gasLimit);

    /// @notice A collection was given without ids.
    /// @param collection The collection.
    error NoTokenIds(address collection);

    /// @notice Gas a collection gets for its answer, besides that for each id.
    /// @return The amount of gas.
    function GAS_PER_COLLECTION() external view returns (uint256);

    /// @notice Gas a collection gets for each id. Together enough for an OpenZeppelin token behind an ERC-1967 proxy, all
    ///         cold.
    /// @return The amount of gas.
    function GAS_PER_TOKEN() external view returns (uint256);

    /// @notice What a tool's list may cost to ask if every collection uses all it gets, so that it always fits into the
    ///         registry's 200,000 gas. The rest reads the list.
    /// @return The value.
    function MAX_GAS() external view returns (uint256);

    /// @notice Sets the tokens of a tool. Its creator only.
    /// @param toolId The tool.
    /// @param tokens Any of these lets in; none denies everyone.
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens) external;

    /// @notice The tokens of a tool.
    /// @param toolId The tool.
    /// @return tokens All of them; none also if they were never set.
    function getCollectionTokens(uint256 toolId) external view returns (CollectionTokens[] memory tokens);

    /// @notice What asking a collection for `count` ids counts against `MAX_GAS`.
    /// @param count How many ids.
    /// @return Gas.
    function gasToAsk(uint256 count) external pure returns (uint256);
}
