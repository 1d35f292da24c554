// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "../IToolRegistry.sol";

/// @title IRegistrationScript
/// @notice Registers a tool and configures its predicates in one transaction. Runs by `delegatecall` from a Safe or
///         another smart account, or as the EIP-7702 delegate of an account, so that the account is the creator.
/// @dev Has no storage and holds nothing. If any call reverts, the whole transaction reverts.
///      An account that delegates to it with EIP-7702 cannot receive ether or ERC-721 tokens through `safeTransferFrom`:
///      remove the delegation after the registration.
interface IRegistrationScript {
    /// @notice A call that configures a predicate.
    /// @param target The predicate.
    /// @param data   The call data. The first argument, bytes 4 to 35, is replaced by the id of the new tool.
    struct ConfigurationCall {
        address target;
        bytes data;
    }

    /// @notice The script was called directly. It must run by `delegatecall`.
    error NotDelegated();

    /// @notice The account delegates to this script with EIP-7702, and another account called it.
    /// @param caller The caller.
    error NotTheAccount(address caller);

    /// @notice The call data has no first argument to replace.
    /// @param index The index of the call.
    error NoToolId(uint256 index);

    /// @notice The target of a configuration call has no code.
    /// @param target The target.
    error NoCode(address target);

    /// @notice Registers a tool, then makes the configuration calls with its id.
    /// @param registry        The registry.
    /// @param metadataURI     The metadata URI of the tool.
    /// @param manifestHash    The hash of the manifest.
    /// @param accessPredicate The access predicate, or zero for an open tool.
    /// @param calls           The calls.
    /// @return toolId The id of the tool.
    function registerTool(
        IToolRegistry registry,
        string calldata metadataURI,
        bytes32 manifestHash,
        address accessPredicate,
        ConfigurationCall[] calldata calls
    ) external returns (uint256 toolId);
}
