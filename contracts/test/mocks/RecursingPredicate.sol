// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev Hands the question back to the registry that asks it. Knows nothing of ERC-165, so the registry takes it.
contract RecursingPredicate {
    IToolRegistry private immutable _REGISTRY;

    constructor(IToolRegistry registry) {
        _REGISTRY = registry;
    }

    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        return _REGISTRY.hasAccess(toolId, account, data);
    }
}
