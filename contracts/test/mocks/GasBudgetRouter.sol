// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev Example integration: calls `hasAccess` with an explicit gas budget and treats a failed call as denied.
contract GasBudgetRouter {
    error AccessDenied(uint256 toolId, address account);

    /// @dev 200,000 gas for the predicate, plus the 1/64 that EIP-150 withholds and the registry's own cost.
    uint256 public constant ACCESS_GAS_BUDGET = 220_000;

    IToolRegistry private immutable _REGISTRY;

    uint256 public routed;

    constructor(IToolRegistry registry) {
        _REGISTRY = registry;
    }

    function route(uint256 toolId, bytes calldata data) external {
        if (!_hasAccess(toolId, msg.sender, data)) revert AccessDenied(toolId, msg.sender);
        routed++;
    }

    function _hasAccess(uint256 toolId, address account, bytes calldata data) private view returns (bool) {
        try _REGISTRY.hasAccess{ gas: ACCESS_GAS_BUDGET }(toolId, account, data) returns (bool granted) {
            return granted;
        } catch {
            return false;
        }
    }
}
