// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title ITraitGatedPredicate
/// @notice Lets in who holds a token that has one of some values in a trait. The call's `data` says which token:
///         abi.encode(uint256 tokenId).
/// @dev Any other `data` is a no. So are contracts without code. A contract that does not answer is "cannot tell", and so
///      is a token that does not exist where the collection reverts for it.
interface ITraitGatedPredicate is IConfiguredPredicate {
    /// @notice The trait a tool asks for was set.
    /// @param toolId         The tool.
    /// @param collection     Whose token it must be.
    /// @param traitsContract Who knows the traits.
    /// @param traitKey       Which trait.
    /// @param allowedValues  Any of these lets in; none denies everyone.
    event ToolTraitConfigured(
        uint256 indexed toolId,
        address indexed collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] allowedValues
    );

    /// @notice More values than could be compared inside the registry's gas limit.
    /// @param count How many were given.
    /// @param max   How many there may be.
    error TooManyValues(uint256 count, uint256 max);

    /// @notice Gas each of the two contracts gets for its answer.
    /// @return The amount of gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice How many values a tool can allow.
    /// @return The value.
    function MAX_VALUES() external view returns (uint256);

    /// @notice Sets the trait a tool asks for. Its creator only.
    /// @param toolId         The tool.
    /// @param collection     Whose token it must be.
    /// @param traitsContract Who knows the traits; often the collection itself.
    /// @param traitKey       Which trait.
    /// @param allowedValues  Any of these lets in; none denies everyone.
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues
    ) external;

    /// @notice The trait a tool asks for; all zero if never set.
    /// @param toolId The tool.
    /// @return collection     Whose token it must be.
    /// @return traitsContract Who knows the traits.
    /// @return traitKey       Which trait.
    /// @return allowedValues  Any of these lets in.
    function getToolTraitConfig(uint256 toolId)
        external
        view
        returns (address collection, address traitsContract, bytes32 traitKey, bytes32[] memory allowedValues);
}
