// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title ITraitGatedPredicate
/// @notice Grants access to the owner of an ERC-721 token with an ERC-7496 trait that has one of the allowed values.
///         The call's `data` is abi.encode(uint256 tokenId).
/// @dev If `data` is not 32 bytes long, or one of the two contracts has no code, access is denied. If a call fails, the
///      result is unknown. This includes `ownerOf` reverting for a token that does not exist.
interface ITraitGatedPredicate is IConfiguredPredicate {
    /// @notice Emitted when the required trait of a tool is set.
    /// @param toolId         The tool id.
    /// @param collection     The ERC-721 collection.
    /// @param traitsContract The ERC-7496 contract.
    /// @param traitKey       The key of the trait.
    /// @param allowedValues  The allowed values. If empty, access is denied to every account.
    event ToolTraitConfigured(
        uint256 indexed toolId,
        address indexed collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] allowedValues
    );

    /// @notice More than `MAX_VALUES` allowed values.
    /// @param count The number of values.
    /// @param max   `MAX_VALUES`.
    error TooManyValues(uint256 count, uint256 max);

    /// @notice Returns the stipend of each of the two calls, `ownerOf` and `getTraitValue`.
    /// @return Gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice Returns the maximum number of allowed values.
    /// @return The number of values.
    function MAX_VALUES() external view returns (uint256);

    /// @notice Sets the required trait of a tool. Only callable by the creator of the tool.
    /// @param toolId         The tool id.
    /// @param collection     The ERC-721 collection.
    /// @param traitsContract The ERC-7496 contract, often the collection itself.
    /// @param traitKey       The key of the trait.
    /// @param allowedValues  The allowed values. If empty, access is denied to every account.
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues
    ) external;

    /// @notice Returns the required trait of a tool. All values are zero if the tool is not configured.
    /// @param toolId The tool id.
    /// @return collection     The ERC-721 collection.
    /// @return traitsContract The ERC-7496 contract.
    /// @return traitKey       The key of the trait.
    /// @return allowedValues  The allowed values.
    function getToolTraitConfig(uint256 toolId)
        external
        view
        returns (address collection, address traitsContract, bytes32 traitKey, bytes32[] memory allowedValues);
}
