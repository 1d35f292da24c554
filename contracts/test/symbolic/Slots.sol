// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Slots is SymbolicTest {
    function check_IdsOutOfRangeHaveNoSlot(uint256 toolId, address caller, bytes32 word, uint8 which) public {
        vm.assume(toolId >= IDS);
        (bool success, bytes memory answer) =
            _callAs(caller, _callOn(toolId, address(uint160(uint256(word))), word, which));
        assert(!success);
        assert(keccak256(answer) == keccak256(abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId)));
    }

    function check_DeregisteringStaysInsideTheTool(uint64 toolId, address caller, uint256 slot) public {
        vm.assume(_textLength(toolId) <= LONGEST_TEXT);
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.deregisterTool, (toolId)));
        assert(_load(slot) == before);
    }

    function check_SettingThePredicateStaysInsideTheTool(uint64 toolId, address caller, address predicate, uint256 slot)
        public
    {
        vm.assume(predicate != address(registry));
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assert(_load(slot) == before);
    }

    function check_UpdatingMetadataStaysInsideTheTool(uint64 toolId, address caller, bytes32 hash, uint256 slot)
        public
    {
        vm.assume(_textLength(toolId) <= MODEST_TEXT);
        vm.assume(slot >> 7 != toolId);
        uint256 before = _load(slot);
        _callAs(caller, abi.encodeCall(registry.updateToolMetadata, (toolId, SHORT_URI, hash)));
        assert(_load(slot) == before);
    }

    function check_RegisteringStaysInsideTheNextTool(address caller, bytes32 hash, address predicate, uint256 slot)
        public
    {
        uint256 count = _load(COUNT_SLOT);
        vm.assume(count < IDS - 1);
        vm.assume(predicate != address(registry));
        vm.assume(slot >> 7 != count + 1 && slot != COUNT_SLOT);
        uint256 before = _load(slot);
        (bool success, bytes memory answer) =
            _callAs(caller, abi.encodeCall(registry.registerTool, (SHORT_URI, hash, predicate)));
        assert(_load(slot) == before);
        assert(_load(COUNT_SLOT) == count + (success ? 1 : 0));
        assert(!success || abi.decode(answer, (uint256)) == count + 1);
        assert(!success || _load(_slot(count + 1, 0)) & (LIVE | REMOVED) == LIVE);
    }

    function check_AccessDependsOnTheToolsOwnSlots(uint64 toolId, address account, uint256 slot, uint256 value) public {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
        vm.assume(slot >> 7 != toolId);
        bytes memory question = abi.encodeCall(registry.tryHasAccess, (toolId, account, ""));
        (bool success, bytes memory answer) = address(registry).staticcall(question);
        _store(slot, value);
        (bool successAfter, bytes memory answerAfter) = address(registry).staticcall(question);
        assert(success == successAfter && keccak256(answer) == keccak256(answerAfter));
    }
}
