// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "../../interfaces/IToolRegistry.sol";
import { IConfiguredPredicate } from "../../interfaces/predicates/IConfiguredPredicate.sol";
import { PackedConfig } from "../../libraries/PackedConfigLib.sol";
import { AccessPredicate } from "./AccessPredicate.sol";

/// @title ConfiguredPredicate
/// @notice Base of predicates that the creator of a tool configures.
abstract contract ConfiguredPredicate is AccessPredicate, IConfiguredPredicate {
    /// @inheritdoc IConfiguredPredicate
    IToolRegistry public immutable REGISTRY;

    /// @dev What target and numbers mean is documented in each predicate.
    mapping(uint256 toolId => PackedConfig) internal _configs;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) {
        if (address(registry) == address(0)) revert ZeroRegistry();
        REGISTRY = registry;
    }

    function _requireConfig(uint256 toolId) internal view returns (PackedConfig config) {
        config = _configs[toolId];
        if (!config.isSet()) revert NotConfigured(toolId);
    }

    /// @dev Reverts with the registry's error if the tool does not exist or was deregistered.
    function _requireToolCreator(uint256 toolId) internal view {
        if (REGISTRY.getToolConfig(toolId).creator != msg.sender) revert CallerIsNotToolCreator(toolId, msg.sender);
    }
}
