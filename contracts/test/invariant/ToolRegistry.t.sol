// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { VmSafe } from "forge-std/Vm.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ToolRegistryHandler } from "test/invariant/handlers/ToolRegistryHandler.sol";
import { ToolRegistryStore } from "test/invariant/stores/ToolRegistryStore.sol";
import { URIShapes } from "test/support/URIShapes.sol";

/// @dev The properties of README.md, in the same order.
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
            ToolRegistryHandler.changeMindOfPredicate.selector,
            ToolRegistryHandler.registerInvalidTool.selector,
            ToolRegistryHandler.changeToolInvalidly.selector,
            ToolRegistryHandler.changeToolAsStranger.selector,
            ToolRegistryHandler.callRemovedTool.selector,
            ToolRegistryHandler.callUnknownTool.selector
        ];
        targetContract(address(_handler));
        targetSelector(FuzzSelector({ addr: address(_handler), selectors: _entries }));
    }

    function invariant_IdsCountRegistrationsAndOnlyGrow() external view {
        // A-04, A-05
        assertEq(registry.toolCount(), _store.registrations(), "the count is not the number of registrations");
    }

    function invariant_CreatorNeverChanges() external view {
        // A-02
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            assertEq(registry.getToolConfig(toolId).creator, _store.firstCreator(toolId), "another creator");
        }
    }

    function invariant_TombstonesNeverComeBack() external view {
        // A-12, A-13
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isRemoved(toolId)) continue;
            (bool success, bytes memory returned) =
                address(registry).staticcall(abi.encodeCall(IToolRegistry.getToolConfig, (toolId)));
            assertRevert(success, returned, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }

    function invariant_ConfigIsTheLastAcceptedWrite() external view {
        // A-01
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (_store.isLive(toolId)) assertConfig(registry, toolId, _store.configOf(toolId));
        }
    }

    function invariant_NoAnswerIsNeverAYes() external view {
        // C-08
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, _question(toolId));
            assertTrue(ok || !granted, "granted without an answer");
        }
    }

    function invariant_HasAccessIsOkAndGranted() external view {
        // C-09
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId)) continue;
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, _question(toolId));
            assertEq(
                registry.hasAccess(toolId, agent, _question(toolId)), ok && granted, "hasAccess is not ok and granted"
            );
        }
    }

    function invariant_StorageOutsideLiveToolsIsZero() external view {
        assertEq(vm.load(address(registry), COUNT_SLOT), bytes32(_store.registrations()), "the counter");
        assertEq(usedSlots(address(registry), 0), 0, "id 0 has storage");
        assertEq(usedSlots(address(registry), _store.registrations() + 1), 0, "the next id has storage");
        _requireTombstone(_store.lastTool());
        _requireTombstone(_toolOfTheTurn());
    }

    function invariant_ToolSlotsHoldOnlyItsOwnConfig() external view {
        _requireOwnSlots(_store.lastTool());
        _requireOwnSlots(_toolOfTheTurn());
    }

    function invariant_OpenToolsLetEveryoneIn() external view {
        // C-01
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            if (!_store.isLive(toolId) || _store.configOf(toolId).accessPredicate != address(0)) continue;
            assertAccess(registry, toolId, agent, _question(toolId), true, true);
        }
    }

    /// @dev The two storage properties look at two tools after each call, and at all of them in the end.
    function afterInvariant() external view {
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            _requireTombstone(toolId);
            _requireOwnSlots(toolId);
        }
    }

    /// @dev The invariants are worth what the handler does: every entry, often enough to make tools of every kind.
    function test_HandlerReachesEveryState() external {
        for (uint256 i = 0; i < 40 * _entries.length; ++i) {
            (bool success,) = address(_handler).call(abi.encodeWithSelector(_entries[i % _entries.length], i));
            assertTrue(success, "a handler entry reverted");
        }

        for (uint256 i = 0; i < _entries.length; ++i) {
            assertEq(_store.callsOf(_entries[i]), 40, "an entry was not counted");
        }
        uint256[5] memory found;
        for (uint256 toolId = 1; toolId <= _store.registrations(); ++toolId) {
            _requireTombstone(toolId);
            _requireOwnSlots(toolId);
            if (_store.isRemoved(toolId)) {
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
        assertGe(found[0], 10, "removed");
        assertGe(found[1], 3, "open");
        assertGe(found[2], 3, "granting");
        assertGe(found[3], 1, "denying");
        assertGe(found[4], 3, "failing");
    }

    /// @dev Logs who is there, and then what each entry calls: `tests/differential/handlers.rs` holds the Rust handlers to it.
    function test_HandlerTellsItsCalls() external {
        emit log_bytes(abi.encode(_handler.cast()));
        for (uint256 i = 0; i < 20 * _entries.length; ++i) {
            vm.startStateDiffRecording();
            (bool success,) = address(_handler).call(abi.encodeWithSelector(_entries[i % _entries.length], i));
            assertTrue(success, "a handler entry reverted");
            bytes[] memory calls = _callsOfHandler(vm.stopAndReturnStateDiff());
            assertGt(calls.length, 0, "an entry calls nobody");
            emit log_bytes(abi.encode(calls));
        }
    }

    /* PARTS */

    /// @dev Caller, target, value and data of the calls the handler makes itself, but for those to its store and the count.
    function _callsOfHandler(VmSafe.AccountAccess[] memory accesses) private view returns (bytes[] memory calls) {
        uint256 count;
        calls = new bytes[](accesses.length);
        for (uint256 i = 1; i < accesses.length; ++i) {
            VmSafe.AccountAccess memory made = accesses[i];
            bool isOwn = made.depth == accesses[0].depth + 1 && made.kind == VmSafe.AccountAccessKind.Call;
            if (!isOwn || made.account == address(_store)) continue;
            calls[count++] = abi.encode(made.accessor, made.account, made.value, made.data);
        }
        assembly ("memory-safe") {
            mstore(calls, count)
        }
    }

    /// @dev Walks through all tools as calls are made.
    function _toolOfTheTurn() private view returns (uint256) {
        uint256 count = _store.registrations();
        return count == 0 ? 0 : 1 + _store.calls() % count;
    }

    function _question(uint256 toolId) private view returns (bytes memory) {
        return toolId % 2 == 0 ? bytes("") : abi.encode(toolId, _store.calls());
    }

    function _requireTombstone(uint256 toolId) private view {
        if (_store.isRemoved(toolId)) assertOnlyTombstone(address(registry), toolId);
    }

    /// @dev The layout that `ToolSlotsLib` draws, but for the header, of which the config itself tells.
    function _requireOwnSlots(uint256 toolId) private view {
        if (!_store.isLive(toolId)) return;
        ToolConfig memory config = _store.configOf(toolId);
        bytes32 movedCreator =
            config.accessPredicate == address(0) ? bytes32(0) : bytes32(uint256(uint160(config.creator)));
        assertEq(vm.load(address(registry), toolSlot(toolId, 1)), movedCreator, "the creator's slot");
        assertEq(vm.load(address(registry), toolSlot(toolId, 2)), config.manifestHash, "the hash's slot");

        bytes memory text = bytes.concat(_textOf(bytes(config.metadataURI)), new bytes(SLOTS_PER_TOOL * 32));
        for (uint256 offset = 3; offset < SLOTS_PER_TOOL; ++offset) {
            uint256 at = 9 + 32 * (offset - 3);
            bytes32 expected;
            assembly ("memory-safe") {
                expected := mload(add(add(text, 32), at))
            }
            bytes32 actual = vm.load(address(registry), toolSlot(toolId, offset));
            if (actual != expected) assertEq(actual, expected, "a slot of the text");
        }
    }

    /// @dev Host and slug of a URI of the well-known form, else the URI.
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
