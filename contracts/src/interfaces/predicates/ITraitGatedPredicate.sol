// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @notice The configuration of a tool.
/// @param collection     The ERC-721 collection.
/// @param traitsContract The ERC-7496 contract.
/// @param traitKey       The key of the trait.
/// @param allowedValues  The allowed values.
struct ToolTraitConfig {
    address collection;
    address traitsContract;
    bytes32 traitKey;
    bytes32[] allowedValues;
}

/// @title ITraitGatedPredicate
/// @notice Grants access to the owner of an ERC-721 token with an ERC-7496 trait that has one of the allowed values.
///         The call's `data` is abi.encode(uint256 tokenId).
/// @dev If `data` is not 32 bytes long, or `ownerOf` reverts with a reason because the token does not exist, access is
///      denied. If a call fails otherwise, the result is unknown. Access is denied to the zero address.
interface ITraitGatedPredicate is IStipendPredicate {
    /// @notice Emitted when the required trait of a tool is set.
    /// @param toolId         The tool id.
    /// @param collection     The ERC-721 collection.
    /// @param traitsContract The ERC-7496 contract.
    /// @param traitKey       The key of the trait.
    /// @param allowedValues  The allowed values.
    event ToolTraitConfigured(
        uint256 indexed toolId,
        address indexed collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] allowedValues
    );

    /// @notice The collection is the zero address.
    error ZeroCollection();

    /// @notice The traits contract is the zero address.
    error ZeroTraitsContract();

    /// @notice The collection has no code.
    /// @param collection The collection.
    error CollectionNoCode(address collection);

    /// @notice The traits contract has no code.
    /// @param traitsContract The traits contract.
    error TraitsContractNoCode(address traitsContract);

    /// @notice There are no allowed values.
    error EmptyAllowedValues();

    /// @notice More than `MAX_ALLOWED_VALUES` allowed values.
    /// @param count The number of values.
    /// @param max   `MAX_ALLOWED_VALUES`.
    error TooManyAllowedValues(uint256 count, uint256 max);

    /// @notice An allowed value is zero. Tokens whose trait was never set have the value zero.
    /// @param index The index of the value.
    error ZeroValueInAllowedValues(uint256 index);

    /// @notice Returns the maximum number of allowed values. The requirement then has 4,096 bytes of data, the maximum
    ///         that ERC-8257 consumers accept.
    /// @return The number of values.
    function MAX_ALLOWED_VALUES() external view returns (uint256);

    /// @notice Sets the required trait of a tool, with the default stipends. Only callable by the creator of the tool.
    /// @dev Assumes that `ownerOf` returns the owner of a token, and that a trait that was never set is zero.
    /// @param toolId         The tool id.
    /// @param collection     The ERC-721 collection.
    /// @param traitsContract The ERC-7496 contract, often the collection itself.
    /// @param traitKey       The key of the trait.
    /// @param allowedValues  The allowed values.
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues
    ) external;

    /// @notice Sets the required trait of a tool and the stipend of the calls of `ownerOf` and `getTraitValue`. Only
    ///         callable by the creator of the tool.
    /// @param toolId         The tool id.
    /// @param collection     The ERC-721 collection.
    /// @param traitsContract The ERC-7496 contract.
    /// @param traitKey       The key of the trait.
    /// @param allowedValues  The allowed values.
    /// @param stipend        Gas per call.
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues,
        uint256 stipend
    ) external;

    /// @notice Returns the required trait of a tool.
    /// @param toolId The tool id.
    /// @return config The configuration. All members are zero if the tool is not configured.
    function getToolTraitConfig(uint256 toolId) external view returns (ToolTraitConfig memory config);
}
