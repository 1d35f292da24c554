// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { Vm, VmSafe } from "forge-std/Vm.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";

/// @dev What tests say about a registry: its answers, its logs, its storage and its calls to others.
abstract contract Assertions is Test {
    uint256 internal constant SLOTS_PER_TOOL = 128;
    bytes32 internal constant COUNT_SLOT = bytes32(uint256(2 ** 71));
    bytes32 internal constant TOMBSTONE = bytes32(uint256(1 << 255));

    /* ANSWERS */

    function assertConfig(IToolRegistry registry, uint256 toolId, ToolConfig memory expected) internal view {
        (bool success, bytes memory answer) =
            address(registry).staticcall(abi.encodeCall(IToolRegistry.getToolConfig, (toolId)));
        assertTrue(success, "getToolConfig reverted");
        assertEq(answer, abi.encode(expected), "getToolConfig is not the expected configuration");
    }

    function assertRevert(bool success, bytes memory returndata, bytes memory expected) internal pure {
        assertFalse(success, "call succeeded, a revert was expected");
        assertEq(returndata, expected, "revert data differ");
    }

    function assertAccess(
        IToolRegistry registry,
        uint256 toolId,
        address account,
        bytes memory data,
        bool ok,
        bool granted
    ) internal view {
        (bool actualOk, bool actualGranted) = registry.tryHasAccess(toolId, account, data);
        assertEq(actualOk, ok, "ok differs");
        assertEq(actualGranted, granted, "granted differs");
        assertEq(registry.hasAccess(toolId, account, data), ok && granted, "hasAccess is not ok and granted");
    }

    /* LOGS, after vm.recordLogs() */

    function assertNoLogs() internal {
        assertEq(vm.getRecordedLogs().length, 0, "a log was emitted");
    }

    function assertOnlyLogIsRegistration(address registry, uint256 toolId, ToolConfig memory config) internal {
        bytes32[] memory topics = new bytes32[](4);
        topics[0] = IToolRegistry.ToolRegistered.selector;
        topics[1] = bytes32(toolId);
        topics[2] = bytes32(uint256(uint160(config.creator)));
        topics[3] = bytes32(uint256(uint160(config.accessPredicate)));
        _assertOnlyLog(registry, topics, abi.encode(config.metadataURI, config.manifestHash));
    }

    function assertOnlyLogIsMetadataUpdate(address registry, uint256 toolId, string memory uri, bytes32 hash) internal {
        bytes32[] memory topics = new bytes32[](2);
        topics[0] = IToolRegistry.ToolMetadataUpdated.selector;
        topics[1] = bytes32(toolId);
        _assertOnlyLog(registry, topics, abi.encode(uri, hash));
    }

    function assertOnlyLogIsPredicateUpdate(address registry, uint256 toolId, address predicate) internal {
        bytes32[] memory topics = new bytes32[](3);
        topics[0] = IToolRegistry.AccessPredicateUpdated.selector;
        topics[1] = bytes32(toolId);
        topics[2] = bytes32(uint256(uint160(predicate)));
        _assertOnlyLog(registry, topics, "");
    }

    function assertOnlyLogIsDeregistration(address registry, uint256 toolId) internal {
        bytes32[] memory topics = new bytes32[](2);
        topics[0] = IToolRegistry.ToolDeregistered.selector;
        topics[1] = bytes32(toolId);
        _assertOnlyLog(registry, topics, "");
    }

    /* STORAGE, writes after vm.record() */

    function toolSlot(uint256 toolId, uint256 offset) internal pure returns (bytes32) {
        return bytes32(toolId * SLOTS_PER_TOOL + offset);
    }

    function usedSlots(address registry, uint256 toolId) internal view returns (uint256 used) {
        for (uint256 offset = 0; offset < SLOTS_PER_TOOL; offset++) {
            if (vm.load(registry, toolSlot(toolId, offset)) != 0) used++;
        }
    }

    function assertOnlyTombstone(address registry, uint256 toolId) internal view {
        assertEq(vm.load(registry, toolSlot(toolId, 0)), TOMBSTONE, "the first slot is no tombstone");
        assertEq(usedSlots(registry, toolId), 1, "a slot besides the tombstone is not zero");
    }

    function assertNoWrites(address registry) internal {
        (, bytes32[] memory writes) = vm.accesses(registry);
        assertEq(writes.length, 0, "storage was written");
    }

    function assertWrites(address registry, bytes32[] memory expected) internal {
        (, bytes32[] memory writes) = vm.accesses(registry);
        assertEq(writes.length, expected.length, "number of written slots differs");
        for (uint256 i = 0; i < expected.length; i++) {
            assertTrue(_contains(writes, expected[i]), "a slot was not written");
        }
    }

    /* CALLS, after vm.startStateDiffRecording() */

    /// @dev Every call the registry made was a static ERC-165 question to `predicate`; there were `questions` of them.
    function assertOnlyStaticProbes(address registry, address predicate, uint256 questions) internal {
        Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        uint256 found = 0;
        for (uint256 i = 0; i < accesses.length; i++) {
            if (accesses[i].accessor != registry || _isAccountRead(accesses[i].kind)) continue;
            assertEq(uint256(accesses[i].kind), uint256(VmSafe.AccountAccessKind.StaticCall), "a call was not static");
            assertEq(accesses[i].account, predicate, "somebody else was called");
            assertEq(bytes4(accesses[i].data), bytes4(0x01ffc9a7), "a call was no ERC-165 question");
            found++;
        }
        assertEq(found, questions, "number of questions differs");
    }

    function _assertOnlyLog(address emitter, bytes32[] memory topics, bytes memory data) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1, "not exactly one log was emitted");
        assertEq(logs[0].emitter, emitter, "somebody else emitted the log");
        assertEq(abi.encode(logs[0].topics), abi.encode(topics), "topics differ");
        assertEq(logs[0].data, data, "log data differ");
    }

    function _isAccountRead(VmSafe.AccountAccessKind kind) private pure returns (bool) {
        return kind == VmSafe.AccountAccessKind.Extcodesize || kind == VmSafe.AccountAccessKind.Extcodehash
            || kind == VmSafe.AccountAccessKind.Extcodecopy || kind == VmSafe.AccountAccessKind.Balance
            || kind == VmSafe.AccountAccessKind.Resume;
    }

    function _contains(bytes32[] memory haystack, bytes32 needle) private pure returns (bool) {
        for (uint256 i = 0; i < haystack.length; i++) {
            if (haystack[i] == needle) return true;
        }
        return false;
    }
}
