// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Slots is SymbolicTest {
    function check_IdsOutOfRangeAreNotFound(uint256 toolId, address caller, bytes32 word, uint8 selectorIndex) public {
        vm.assume(toolId >= MAX_IDS);
        (bool success, bytes memory returndata) =
            _callAs(caller, _callOn(toolId, address(uint160(uint256(word))), word, selectorIndex));
        assert(!success);
        assert(keccak256(returndata) == keccak256(abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId)));
    }

    function check_DeregisteringWritesOnlyTheSlotsOfTheTool(uint64 toolId, address caller, uint256 slot) public {
        vm.assume(_textLength(toolId) <= MAX_TEXT_BYTES);
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.deregisterTool, (toolId)));
        assert(_load(slot) == before);
    }

    function check_SettingThePredicateWritesOnlyTheSlotsOfTheTool(
        uint64 toolId,
        address caller,
        address predicate,
        uint256 slot
    ) public {
        vm.assume(predicate != address(registry));
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assert(_load(slot) == before);
    }

    function check_UpdatingMetadataWritesOnlyTheSlotsOfTheTool(
        uint64 toolId,
        address caller,
        bytes32 hash,
        uint256 slot
    ) public {
        vm.assume(_textLength(toolId) <= MEDIUM_TEXT_BYTES);
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.updateToolMetadata, (toolId, WELL_KNOWN_URI, hash)));
        assert(_load(slot) == before);
    }

    function check_RegisteringWritesOnlyTheNewToolAndTheCounter(
        address caller,
        bytes32 hash,
        address predicate,
        uint256 slot
    ) public {
        uint256 count = _load(COUNT_SLOT);
        vm.assume(count < MAX_IDS - 1);
        vm.assume(predicate != address(registry));
        vm.assume(slot >> 7 != count + 1 && slot != COUNT_SLOT);
        uint256 before = _load(slot);
        (bool success, bytes memory returndata) =
            _callAs(caller, abi.encodeCall(registry.registerTool, (WELL_KNOWN_URI, hash, predicate)));
        assert(_load(slot) == before);
        assert(_load(COUNT_SLOT) == count + (success ? 1 : 0));
        assert(!success || abi.decode(returndata, (uint256)) == count + 1);
        assert(!success || _load(_slot(count + 1, 0)) & (LIVE | DEREGISTERED) == LIVE);
    }

    function check_AccessDependsOnlyOnTheSlotsOfTheTool(uint64 toolId, address account, uint256 slot, uint256 value)
        public
    {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
        vm.assume(slot >> 7 != toolId);
        bytes memory callData = abi.encodeCall(registry.tryHasAccess, (toolId, account, ""));
        (bool success, bytes memory returndata) = address(registry).staticcall(callData);
        _store(slot, value);
        (bool successAfter, bytes memory returndataAfter) = address(registry).staticcall(callData);
        assert(success == successAfter && keccak256(returndata) == keccak256(returndataAfter));
    }
}
