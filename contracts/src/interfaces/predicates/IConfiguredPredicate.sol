// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "../IToolRegistry.sol";
import { IPredicate } from "./IPredicate.sol";

/// @title IConfiguredPredicate
/// @notice A predicate that each tool's creator sets up for the tool.
/// @dev Never set up means "cannot tell" (`NotConfigured`); set up with nothing in it means no. Whether the tool uses this
///      predicate directly, inside a composite or not yet makes no difference.
interface IConfiguredPredicate is IPredicate {
    /// @notice Only the tool's creator, as the registry knows it, may set it up.
    /// @param toolId The tool.
    /// @param caller Who tried.
    error CallerIsNotToolCreator(uint256 toolId, address caller);

    /// @notice The tool's creator has not set this predicate up.
    /// @param toolId The tool.
    error NotConfigured(uint256 toolId);

    /// @notice The registry whose tools this predicate serves.
    /// @return The registry.
    function REGISTRY() external view returns (IToolRegistry);
}
