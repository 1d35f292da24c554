// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { AccessPredicate } from "./base/AccessPredicate.sol";

/// @title AlwaysDenyPredicate
/// @notice Denies access to every account. Set it to pause a tool. Set the previous predicate to unpause it.
contract AlwaysDenyPredicate is AccessPredicate {
    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return false;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AlwaysDenyPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256)
        external
        pure
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        return (_alwaysDenied(), logic);
    }
}
