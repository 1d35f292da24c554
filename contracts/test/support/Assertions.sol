// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { Vm, VmSafe } from "forge-std/Vm.sol";
import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";

/// @dev Assertions about a registry's return values, logs, storage and calls.
abstract contract Assertions is Test {
    uint256 internal constant SLOTS_PER_TOOL = 128;
    bytes32 internal constant COUNT_SLOT = bytes32(uint256(2 ** 71));
    bytes32 internal constant TOMBSTONE = bytes32(uint256(1 << 255));

    /* RETURN VALUES */

    function assertConfig(IToolRegistry registry, uint256 toolId, ToolConfig memory expected) internal view {
        (bool success, bytes memory returndata) =
            address(registry).staticcall(abi.encodeCall(IToolRegistry.getToolConfig, (toolId)));
        assertTrue(success, "getToolConfig reverted");
        assertEq(returndata, abi.encode(expected), "getToolConfig returned another configuration");
    }

    function assertRevert(bool success, bytes memory returndata, bytes memory expected) internal pure {
        assertFalse(success, "call did not revert");
        assertEq(returndata, expected, "revert data differs");
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
        assertEq(registry.hasAccess(toolId, account, data), ok && granted, "hasAccess differs from ok && granted");
    }

    /// @dev Name, version, and ERC-165 interfaces of a predicate, within the ERC-165 gas limit.
    function assertIdentity(address predicate, string memory name, bool readsCallData) internal view {
        assertEq(IPredicate(predicate).name(), name, "name");
        assertEq(IPredicate(predicate).version(), "1.0", "version");
        assertTrue(_supports(predicate, 0x01ffc9a7), "IERC165");
        assertTrue(_supports(predicate, 0xbdf9dc18), "IAccessPredicate");
        assertEq(_supports(predicate, type(IReadsCallData).interfaceId), readsCallData, "IReadsCallData");
        assertFalse(_supports(predicate, 0xffffffff), "0xffffffff");
        assertFalse(_supports(predicate, 0x00000000), "0x00000000");
        assertFalse(_supports(predicate, 0xa11ea958), "the interface without getRequirements");
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
        assertEq(vm.load(registry, toolSlot(toolId, 0)), TOMBSTONE, "the first slot is not a tombstone");
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

    /// @dev The registry made exactly `probes` calls, all of them static ERC-165 probes of `predicate`.
    function assertOnlyStaticProbes(address registry, address predicate, uint256 probes) internal {
        Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        uint256 found = 0;
        for (uint256 i = 0; i < accesses.length; i++) {
            if (accesses[i].accessor != registry || _isAccountRead(accesses[i].kind)) continue;
            assertEq(uint256(accesses[i].kind), uint256(VmSafe.AccountAccessKind.StaticCall), "a call was not static");
            assertEq(accesses[i].account, predicate, "another contract was called");
            assertEq(bytes4(accesses[i].data), bytes4(0x01ffc9a7), "a call was not an ERC-165 probe");
            found++;
        }
        assertEq(found, probes, "number of probes differs");
    }

    function _supports(address predicate, bytes4 interfaceId) private view returns (bool) {
        return IPredicate(predicate).supportsInterface{ gas: 30_000 }(interfaceId);
    }

    function _assertOnlyLog(address emitter, bytes32[] memory topics, bytes memory data) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1, "number of logs is not one");
        assertEq(logs[0].emitter, emitter, "the log has another emitter");
        assertEq(abi.encode(logs[0].topics), abi.encode(topics), "topics differ");
        assertEq(logs[0].data, data, "log data differs");
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
