// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { INegatedRequirement, INestedRequirements } from "../interfaces/IRequirementTypes.sol";

/// @title RequirementListLib
/// @notice Builds the requirement list of a composite from the requirements of its terms.
library RequirementListLib {
    /// @notice The requirements of a predicate exceed the limits below.
    error RequirementsTooLarge();

    /// @dev Limits per term. Eight terms have at most 256 entries, the maximum that consumers accept. Consumers also
    ///      accept at most 4,096 bytes of data and 256 bytes of label per entry.
    uint256 internal constant MAX_ENTRIES = 32;
    uint256 internal constant MAX_DATA_BYTES = 4096;
    uint256 internal constant MAX_LABEL_BYTES = 256;

    /// @dev Maximum size of all data and labels of one term. Bounds the gas for copying them.
    uint256 internal constant MAX_TERM_BYTES = 8192;

    /// @dev Reverts if the list exceeds a limit.
    function requireWithinLimits(AccessRequirement[] memory requirements) internal pure {
        if (requirements.length > MAX_ENTRIES) revert RequirementsTooLarge();
        uint256 total;
        for (uint256 i = 0; i < requirements.length; i++) {
            uint256 dataBytes = requirements[i].data.length;
            uint256 labelBytes = bytes(requirements[i].label).length;
            if (dataBytes > MAX_DATA_BYTES || labelBytes > MAX_LABEL_BYTES) revert RequirementsTooLarge();
            total += dataBytes + labelBytes;
        }
        if (total > MAX_TERM_BYTES) revert RequirementsTooLarge();
    }

    /// @dev Returns a list with one requirement.
    function single(bytes4 kind, bytes memory data, string memory label)
        internal
        pure
        returns (AccessRequirement[] memory requirements)
    {
        requirements = new AccessRequirement[](1);
        requirements[0] = AccessRequirement({ kind: kind, data: data, label: label });
    }

    /// @dev Returns the entry for a term whose requirements are unknown: kind zero.
    function unknown() internal pure returns (AccessRequirement[] memory) {
        return single(0, "", "unknown");
    }

    /// @dev Returns the entries of a term for a list with logic `outer`. The requirements are inlined if that preserves
    ///      their meaning: a single requirement, or the same logic. Otherwise they become one nested entry.
    function inlineOrNest(AccessRequirement[] memory requirements, RequirementLogic inner, RequirementLogic outer)
        internal
        pure
        returns (AccessRequirement[] memory)
    {
        if (requirements.length == 1 || (requirements.length != 0 && inner == outer)) return requirements;
        return _nest(requirements, inner);
    }

    /// @dev Returns the negation of a term's requirements as one entry.
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
        return
            single(type(INegatedRequirement).interfaceId, data, bytes(label).length > MAX_LABEL_BYTES ? "Not" : label);
    }

    /// @dev Concatenates lists.
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

    /// @dev Returns the requirements as one nested entry, or as unknown if the entry would exceed MAX_DATA_BYTES.
    function _nest(AccessRequirement[] memory requirements, RequirementLogic inner)
        private
        pure
        returns (AccessRequirement[] memory)
    {
        bytes memory data = abi.encode(uint8(inner), requirements);
        if (data.length > MAX_DATA_BYTES) return unknown();
        string memory label = inner == RequirementLogic.AND ? "All of these" : "Any of these";
        return single(type(INestedRequirements).interfaceId, data, label);
    }
}
