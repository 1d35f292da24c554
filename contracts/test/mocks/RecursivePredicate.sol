// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev Calls the registry's `hasAccess` again from `hasAccess`. Does not support ERC-165, so the registry accepts it.
contract RecursivePredicate {
    IToolRegistry private immutable _REGISTRY;

    constructor(IToolRegistry registry) {
        _REGISTRY = registry;
    }

    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        return _REGISTRY.hasAccess(toolId, account, data);
    }
}
