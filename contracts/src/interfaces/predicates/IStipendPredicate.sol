// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IStipendPredicate
/// @notice A predicate that calls other contracts with an exact gas limit (stipend) per call.
/// @dev The creator can choose the stipend of a tool. By default a call has a stipend of 12,000 gas. If it fails, it is
///      repeated with a larger stipend: 140,000 gas divided by the maximum number of calls of an access check. In a
///      list of collections, the larger stipend then applies to the later calls of the same check too.
///      `IERC1155OwnerPredicate` and `IAccessProofPredicate` have other defaults. A stipend chosen by the creator applies
///      to all calls, and failed calls are not repeated. Nor is a call of `ITraitGatedPredicate` or `IAccessProofPredicate`
///      that reverts with an error and has gas left.
///
///      If a stipend cannot be forwarded in full, `hasAccess` reverts.
interface IStipendPredicate is IConfiguredPredicate {
    /// @notice Emitted when the creator chooses the stipend of a tool, after the event of the configuration. A
    ///         configuration that is set without this event has the default stipends.
    /// @param toolId  The tool id.
    /// @param stipend Gas per call.
    event StipendSet(uint256 indexed toolId, uint256 stipend);

    /// @notice The stipend is below the cost of a storage read, or so large that the calls of an access check cannot
    ///         fit in the registry's limit of 200,000 gas.
    /// @param stipend The given stipend.
    /// @param min     The minimum.
    /// @param max     The maximum for this configuration.
    error InvalidStipend(uint256 stipend, uint256 min, uint256 max);

    /// @notice Returns the stipends of a tool.
    /// @param toolId The tool id.
    /// @return first The stipend of a call, in gas.
    /// @return retry The stipend with which a failed call is repeated. Equal to `first` if it is not repeated.
    function getStipends(uint256 toolId) external view returns (uint256 first, uint256 retry);
}
