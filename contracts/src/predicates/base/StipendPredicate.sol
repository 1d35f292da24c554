// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "../../interfaces/predicates/IConfiguredPredicate.sol";
import { IStipendPredicate } from "../../interfaces/predicates/IStipendPredicate.sol";
import { StipendLib } from "../../libraries/StipendLib.sol";
import { ConfiguredPredicate } from "./ConfiguredPredicate.sol";

/// @title StipendPredicate
/// @notice Base of predicates that call other contracts.
abstract contract StipendPredicate is ConfiguredPredicate, IStipendPredicate {
    /// @inheritdoc IStipendPredicate
    function getStipends(uint256 toolId) external view returns (uint256 first, uint256 retry) {
        (first, retry,) = _stipendsOf(toolId);
    }

    /// @inheritdoc IConfiguredPredicate
    function gasNeeded(uint256 toolId) external view virtual returns (uint256) {
        (uint256 first,, uint256 calls) = _stipendsOf(toolId);
        return StipendLib.gasNeeded(first, calls);
    }

    /// @dev Returns the stipends of a tool and the maximum number of calls of an access check. Reverts with
    ///      `NotConfigured` if the predicate has no configuration for the tool.
    function _stipendsOf(uint256 toolId) internal view virtual returns (uint256 first, uint256 retry, uint256 calls);
}
