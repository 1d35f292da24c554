// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { INegatedRequirement, INestedRequirements } from "../interfaces/IRequirementTypes.sol";

/// @title RequirementListLib
/// @notice How a composite tells what its terms require, so that nothing reads as what it is not.
library RequirementListLib {
    /// @notice A predicate's requirements are more or longer than a composite passes on.
    error TooMuchToTell();

    /// @dev Eight terms of 32 make the 256 entries that consumers read; so do 4,096 bytes of data and 256 of label.
    uint256 internal constant MAX_ENTRIES = 32;
    uint256 internal constant MAX_DATA_BYTES = 4096;
    uint256 internal constant MAX_LABEL_BYTES = 256;

    /// @dev Data and labels of one term together: bounds what copying them about can cost.
    uint256 internal constant MAX_TERM_BYTES = 8192;

    /// @dev Reverts if a consumer would refuse the list.
    function requireWithinLimits(AccessRequirement[] memory requirements) internal pure {
        if (requirements.length > MAX_ENTRIES) revert TooMuchToTell();
        uint256 total;
        for (uint256 i = 0; i < requirements.length; i++) {
            uint256 dataBytes = requirements[i].data.length;
            uint256 labelBytes = bytes(requirements[i].label).length;
            if (dataBytes > MAX_DATA_BYTES || labelBytes > MAX_LABEL_BYTES) revert TooMuchToTell();
            total += dataBytes + labelBytes;
        }
        if (total > MAX_TERM_BYTES) revert TooMuchToTell();
    }

    /// @dev What stands for a term that cannot be described: kind zero.
    function unknown() internal pure returns (AccessRequirement[] memory) {
        return _list(0, "", "unknown");
    }

    /// @dev A term's requirements as entries of a list with logic `outer`: as they are if that keeps their meaning, else as
    ///      one entry.
    function inlineOrNest(AccessRequirement[] memory requirements, RequirementLogic inner, RequirementLogic outer)
        internal
        pure
        returns (AccessRequirement[] memory)
    {
        if (requirements.length == 1 || (requirements.length != 0 && inner == outer)) return requirements;
        return _nest(requirements, inner);
    }

    /// @dev The opposite of a term's requirements, as one entry.
    function negate(AccessRequirement[] memory requirements, RequirementLogic inner)
        internal
        pure
        returns (AccessRequirement[] memory)
    {
        AccessRequirement memory entry = requirements.length == 1 ? requirements[0] : _nest(requirements, inner)[0];
        if (entry.kind == 0) return unknown();
        bytes memory data = abi.encode(entry.kind, entry.data);
        if (data.length > MAX_DATA_BYTES) return unknown();
        string memory label = string.concat("Not: ", entry.label);
        return _list(type(INegatedRequirement).interfaceId, data, bytes(label).length > MAX_LABEL_BYTES ? "Not" : label);
    }

    /// @dev All entries of all parts, in order.
    function concat(AccessRequirement[][] memory parts) internal pure returns (AccessRequirement[] memory all) {
        uint256 count;
        for (uint256 i = 0; i < parts.length; i++) {
            count += parts[i].length;
        }
        all = new AccessRequirement[](count);
        count = 0;
        for (uint256 i = 0; i < parts.length; i++) {
            for (uint256 j = 0; j < parts[i].length; j++) {
                all[count++] = parts[i][j];
            }
        }
    }

    function _nest(AccessRequirement[] memory requirements, RequirementLogic inner)
        private
        pure
        returns (AccessRequirement[] memory)
    {
        bytes memory data = abi.encode(uint8(inner), requirements);
        if (data.length > MAX_DATA_BYTES) return unknown();
        string memory label = inner == RequirementLogic.AND ? "All of these" : "Any of these";
        return _list(type(INestedRequirements).interfaceId, data, label);
    }

    function _list(bytes4 kind, bytes memory data, string memory label)
        private
        pure
        returns (AccessRequirement[] memory requirements)
    {
        requirements = new AccessRequirement[](1);
        requirements[0] = AccessRequirement({ kind: kind, data: data, label: label });
    }
}
