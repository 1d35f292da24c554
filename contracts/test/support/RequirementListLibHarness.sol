// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { RequirementListLib } from "src/libraries/RequirementListLib.sol";

contract RequirementListLibHarness {
    function requireWithinLimits(AccessRequirement[] memory requirements) external pure {
        RequirementListLib.requireWithinLimits(requirements);
    }

    function unknown() external pure returns (AccessRequirement[] memory) {
        return RequirementListLib.unknown();
    }

    function inlineOrNest(AccessRequirement[] memory requirements, RequirementLogic inner, RequirementLogic outer)
        external
        pure
        returns (AccessRequirement[] memory)
    {
        return RequirementListLib.inlineOrNest(requirements, inner, outer);
    }

    function negate(AccessRequirement[] memory requirements, RequirementLogic inner)
        external
        pure
        returns (AccessRequirement[] memory)
    {
        return RequirementListLib.negate(requirements, inner);
    }

    function concat(AccessRequirement[][] memory parts) external pure returns (AccessRequirement[] memory) {
        return RequirementListLib.concat(parts);
    }
}
