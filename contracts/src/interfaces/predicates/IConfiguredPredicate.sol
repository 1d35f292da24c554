// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "../IToolRegistry.sol";
import { IPredicate } from "./IPredicate.sol";

/// @title IConfiguredPredicate
/// @notice A predicate with a configuration per tool, set by the creator of the tool.
/// @dev Without a configuration the result is unknown (`NotConfigured`). With an empty configuration access is denied.
///      A tool can be configured before, while and after it uses this predicate, directly or inside a composite.
///
///      Warning: only the creator of tool `toolId` in `REGISTRY` can configure `toolId`. A tool of another registry must
///      not use this predicate: its configuration would belong to the creator of the tool with the same id in
///      `REGISTRY`.
interface IConfiguredPredicate is IPredicate {
    /// @notice The caller is not the creator of the tool according to the registry.
    /// @param toolId The tool id.
    /// @param caller The unauthorized account.
    error CallerIsNotToolCreator(uint256 toolId, address caller);

    /// @notice The registry passed to the constructor is the zero address.
    error ZeroRegistry();

    /// @notice The predicate has no configuration for this tool.
    /// @param toolId The tool id.
    error NotConfigured(uint256 toolId);

    /// @notice Returns the registry whose tools can be configured.
    /// @return The registry.
    function REGISTRY() external view returns (IToolRegistry);

    /// @notice Returns the gas with which `hasAccess` completes at Ethereum's gas prices, if the called tokens are plain
    ///         contracts. A composite gives a term at least this stipend. Reverts if the tool is not configured.
    /// @param toolId The tool id.
    /// @return Gas.
    function gasNeeded(uint256 toolId) external view returns (uint256);
}
