// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev An example of a contract built on `hasAccess`: asks with an explicit budget, and takes no answer for a no.
contract GasBudgetRouter {
    error AccessDenied(uint256 toolId, address account);

    /// @dev A predicate may use 200,000 gas, of which the registry can pass on 63/64 of what it has.
    uint256 public constant ACCESS_GAS_BUDGET = 220_000;

    IToolRegistry private immutable _REGISTRY;

    uint256 public routed;

    constructor(IToolRegistry registry) {
        _REGISTRY = registry;
    }

    function route(uint256 toolId, bytes calldata data) external {
        if (!_mayUse(toolId, msg.sender, data)) revert AccessDenied(toolId, msg.sender);
        routed++;
    }

    function _mayUse(uint256 toolId, address account, bytes calldata data) private view returns (bool) {
        try _REGISTRY.hasAccess{ gas: ACCESS_GAS_BUDGET }(toolId, account, data) returns (bool granted) {
            return granted;
        } catch {
            return false;
        }
    }
}
