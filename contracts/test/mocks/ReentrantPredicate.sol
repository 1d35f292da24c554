// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Tries to modify the registry on every call, ignores failures, then answers like a valid predicate that grants
///      access.
contract ReentrantPredicate {
    IToolRegistry private immutable _REGISTRY;

    constructor(IToolRegistry registry) {
        _REGISTRY = registry;
    }

    function hasAccess(uint256 toolId, address, bytes calldata) external returns (bool) {
        _reenter(toolId);
        return true;
    }

    function supportsInterface(bytes4 interfaceId) external returns (bool) {
        _reenter(1);
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IAccessPredicate).interfaceId;
    }

    function registerTool() external {
        _REGISTRY.registerTool("https://reentering.example", keccak256("manifest"), address(this));
    }

    function _reenter(uint256 toolId) private {
        try _REGISTRY.registerTool{ gas: gasleft() / 4 }("ipfs://again", keccak256("again"), address(0)) { } catch { }
        try _REGISTRY.setAccessPredicate{ gas: gasleft() / 4 }(toolId, address(0)) { } catch { }
        try _REGISTRY.deregisterTool{ gas: gasleft() / 4 }(toolId) { } catch { }
    }
}
