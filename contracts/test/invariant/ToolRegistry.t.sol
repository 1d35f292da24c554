// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ToolRegistryHandler } from "test/invariant/handlers/ToolRegistryHandler.sol";
import { ToolRegistryStore } from "test/invariant/stores/ToolRegistryStore.sol";
import { URIShapes } from "test/support/URIShapes.sol";

/// @dev The invariants of README.md, in the same order.
contract ToolRegistryInvariantTest is BaseTest {
    ToolRegistryStore private _store;
    ToolRegistryHandler private _handler;
    bytes4[] private _entries;

    function setUp() public override {
        super.setUp();
        _store = new ToolRegistryStore();
        _handler = new ToolRegistryHandler(registry, _store);
        _entries = [
            ToolRegistryHandler.registerTools.selector,
            ToolRegistryHandler.updateToolMetadata.selector,
            ToolRegistryHandler.setAccessPredicate.selector,
            ToolRegistryHandler.deregisterTool.selector,
            ToolRegistryHandler.repeatConfig.selector,
            ToolRegistryHandler.setPredicateBehavior.selector,
            ToolRegistryHandler.registerInvalidTool.selector,
            ToolRegistryHandler.changeToolInvalidly.selector,
            ToolRegistryHandler.changeToolAsNonCreator.selector,
            ToolRegistryHandler.callDeregisteredTool.selector,
            ToolRegistryHandler.callNonexistentTool.selector
        ];
        targetContract(address(_handler));
        targetSelector(FuzzSelector({ addr: address(_handler), selectors: _entries }));
    }

    function invariant_ToolCountIsNumberOfRegistrations() external view {
        // A-04, A-05
        assertEq(registry.toolCount(), _store.registrations(), "toolCount differs from the number of registrations");
    }

    function invariant_CreatorNeverChanges() external view {
        // A-02
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            assertEq(registry.getToolConfig(toolId).creator, _store.firstCreator(toolId), "creator changed");
        }
    }

    function invariant_DeregisteredToolsStayDeregistered() external view {
        // A-12, A-13
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isDeregistered(toolId)) continue;
            (bool success, bytes memory returned) =
                address(registry).staticcall(abi.encodeCall(IToolRegistry.getToolConfig, (toolId)));
            assertRevert(success, returned, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }

    function invariant_ConfigIsLastAccepted() external view {
        // A-01
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (_store.isLive(toolId)) assertConfig(registry, toolId, _store.configOf(toolId));
        }
    }

    function invariant_FailedPredicateNeverGrants() external view {
        // C-08
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, _accessData(toolId));
            assertTrue(ok || !granted, "granted without ok");
        }
    }

    function invariant_HasAccessIsOkAndGranted() external view {
        // C-09
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, _accessData(toolId));
            assertEq(
                registry.hasAccess(toolId, agent, _accessData(toolId)),
                ok && granted,
                "hasAccess differs from ok && granted"
            );
        }
    }

    function invariant_StorageOutsideLiveToolsIsZero() external view {
        assertEq(vm.load(address(registry), COUNT_SLOT), bytes32(_store.registrations()), "tool counter");
        assertEq(usedSlots(address(registry), 0), 0, "id 0 uses storage");
        assertEq(usedSlots(address(registry), _store.registrations() + 1), 0, "the next id uses storage");
        _requireTombstone(_store.lastTool());
        _requireTombstone(_nextTool());
    }

    function invariant_ToolSlotsHoldOnlyItsOwnConfig() external view {
        _requireOwnSlots(_store.lastTool());
        _requireOwnSlots(_nextTool());
    }

    function invariant_OpenToolsGrantEveryone() external view {
        // C-01
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId) || _store.configOf(toolId).accessPredicate != address(0)) continue;
            assertAccess(registry, toolId, agent, _accessData(toolId), true, true);
        }
    }

    /// @dev The two storage invariants check two tools after each call, and every tool at the end of a run.
    function afterInvariant() external view {
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            _requireTombstone(toolId);
            _requireOwnSlots(toolId);
        }
    }

    /// @dev Checks that the handler reaches every function and every kind of tool.
    function test_HandlerReachesEveryState() external {
        for (uint256 i = 0; i < 40 * _entries.length; ++i) {
            (bool success,) = address(_handler).call(abi.encodeWithSelector(_entries[i % _entries.length], i));
            assertTrue(success, "a handler function reverted");
        }

        for (uint256 i = 0; i < _entries.length; ++i) {
            assertEq(_store.callsOf(_entries[i]), 40, "a handler call was not counted");
        }
        uint256[5] memory found;
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            _requireTombstone(toolId);
            _requireOwnSlots(toolId);
            if (_store.isDeregistered(toolId)) {
                found[0]++;
                continue;
            }
            if (_store.configOf(toolId).accessPredicate == address(0)) {
                found[1]++;
                continue;
            }
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, "");
            found[granted ? 2 : ok ? 3 : 4]++;
        }
        assertGe(found[0], 10, "deregistered");
        assertGe(found[1], 3, "open");
        assertGe(found[2], 3, "granted");
        assertGe(found[3], 1, "denied");
        assertGe(found[4], 3, "unknown");
    }

    /* HELPERS */

    /// @dev Visits every tool in turn as the number of calls grows.
    function _nextTool() private view returns (uint256) {
        uint256 count = _store.registrations();
        return count == 0 ? 0 : 1 + _store.calls() % count;
    }

    function _accessData(uint256 toolId) private view returns (bytes memory) {
        return toolId % 2 == 0 ? bytes("") : abi.encode(toolId, _store.calls());
    }

    function _requireTombstone(uint256 toolId) private view {
        if (_store.isDeregistered(toolId)) assertOnlyTombstone(address(registry), toolId);
    }

    /// @dev Checks the layout drawn in `ToolSlotsLib`, except the header, which `getToolConfig` covers.
    function _requireOwnSlots(uint256 toolId) private view {
        if (!_store.isLive(toolId)) return;
        ToolConfig memory config = _store.configOf(toolId);
        bytes32 movedCreator =
            config.accessPredicate == address(0) ? bytes32(0) : bytes32(uint256(uint160(config.creator)));
        assertEq(vm.load(address(registry), toolSlot(toolId, 1)), movedCreator, "creator slot");
        assertEq(vm.load(address(registry), toolSlot(toolId, 2)), config.manifestHash, "hash slot");

        bytes memory text = bytes.concat(_textOf(bytes(config.metadataURI)), new bytes(SLOTS_PER_TOOL * 32));
        for (uint256 offset = 3; offset < SLOTS_PER_TOOL; ++offset) {
            uint256 at = 9 + 32 * (offset - 3);
            bytes32 expected;
            assembly ("memory-safe") {
                expected := mload(add(add(text, 32), at))
            }
            bytes32 actual = vm.load(address(registry), toolSlot(toolId, offset));
            if (actual != expected) assertEq(actual, expected, "text slot");
        }
    }

    /// @dev Host and slug of a well-known URI; otherwise the whole URI.
    function _textOf(bytes memory uri) private pure returns (bytes memory) {
        if (uri.length < 34 || !_hasAt(uri, 0, "https://") || !_hasAt(uri, uri.length - 5, ".json")) return uri;
        uint256 hostLength = URIShapes.firstSlash(uri, 8) - 8;
        if (hostLength > 255 || 34 + hostLength > uri.length) return uri;
        if (!_hasAt(uri, 8 + hostLength, "/.well-known/ai-tool/")) return uri;
        return bytes.concat(
            URIShapes.slice(uri, 8, hostLength), URIShapes.slice(uri, 29 + hostLength, uri.length - 34 - hostLength)
        );
    }

    function _hasAt(bytes memory text, uint256 at, bytes memory part) private pure returns (bool) {
        return keccak256(URIShapes.slice(text, at, part.length)) == keccak256(part);
    }
}
