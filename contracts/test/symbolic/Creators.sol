// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Creators is SymbolicTest {
    function check_OnlyTheCreatorDeregisters(uint256 toolId, address caller) public {
        vm.assume(caller != _creator(toolId));
        (bool success,) = _callAs(caller, abi.encodeCall(registry.deregisterTool, (toolId)));
        assert(!success);
    }

    /// @custom:halmos --array-lengths uri={0,1,32,67,2048,2049}
    function check_OnlyTheCreatorUpdatesMetadata(uint256 toolId, address caller, string calldata uri, bytes32 hash)
        public
    {
        vm.assume(caller != _creator(toolId));
        (bool success,) = _callAs(caller, abi.encodeCall(registry.updateToolMetadata, (toolId, uri, hash)));
        assert(!success);
    }

    function check_OnlyTheCreatorSetsThePredicate(uint256 toolId, address caller, address predicate) public {
        vm.assume(caller != _creator(toolId));
        (bool success,) = _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        assert(!success);
    }

    function check_WhoRegistersIsTheCreator(address caller, bytes32 hash, address predicate) public {
        vm.assume(_load(COUNT_SLOT) < IDS - 1);
        vm.assume(predicate != address(registry));
        (bool success, bytes memory answer) =
            _callAs(caller, abi.encodeCall(registry.registerTool, (SHORT_URI, hash, predicate)));
        if (!success) return;
        assert(_creator(abi.decode(answer, (uint256))) == caller);
    }

    function check_TheCreatorStaysWhoeverIsThePredicate(uint64 toolId, address caller, address predicate) public {
        vm.assume(predicate != address(registry));
        address creator = _creator(toolId);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        if (!success) return;
        assert(_creator(toolId) == creator);
        assert(_predicate(toolId) == predicate);
    }

    function check_TheCreatorStaysWhateverTheMetadata(uint64 toolId, address caller, bytes32 hash) public {
        vm.assume(_textLength(toolId) <= MODEST_TEXT);
        address creator = _creator(toolId);
        uint256 others = _load(_slot(toolId, 0)) & (LIVE | GATED | type(uint160).max);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.updateToolMetadata, (toolId, SHORT_URI, hash)));
        if (!success) return;
        assert(_creator(toolId) == creator);
        assert(_load(_slot(toolId, 0)) & (REMOVED | LIVE | GATED | type(uint160).max) == others);
    }

    /// @dev Not the four functions that write, nor the three of the next check: the others, and functions that do not exist.
    /// @custom:halmos --array-lengths question={0,3,4,5,36,68,100,132}
    function check_NoOtherCallChangesAnySlot(address caller, bytes calldata question, uint256 slot) public {
        if (question.length >= 4) {
            bytes4 selector = bytes4(question);
            vm.assume(selector != IToolRegistry.registerTool.selector);
            vm.assume(selector != IToolRegistry.deregisterTool.selector);
            vm.assume(selector != IToolRegistry.updateToolMetadata.selector);
            vm.assume(selector != IToolRegistry.setAccessPredicate.selector);
            vm.assume(selector != IToolRegistry.getToolConfig.selector);
            vm.assume(selector != IToolRegistry.hasAccess.selector);
            vm.assume(selector != IToolRegistry.tryHasAccess.selector);
        }
        _assertUnchanged(slot, caller, question);
    }

    /// @custom:halmos --array-lengths data={0,1,31,32,33,64}
    function check_AskingForAccessChangesNoSlot(
        uint256 toolId,
        address caller,
        address account,
        bytes calldata data,
        bool plainly,
        uint256 slot
    ) public {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
        bytes4 selector = plainly ? IToolRegistry.hasAccess.selector : IToolRegistry.tryHasAccess.selector;
        _assertUnchanged(slot, caller, abi.encodeWithSelector(selector, toolId, account, data));
    }

    /// @dev Texts that are no abbreviation and end with a slot: reading one of unknown length is more than halmos can follow.
    function check_ReadingAToolChangesNoSlot(uint64 toolId, address caller, uint256 slot) public {
        uint256 length = _textLength(toolId);
        vm.assume(length == 9 || length == 41 || length == 73);
        vm.assume(_load(_slot(toolId, 0)) >> 244 & 0x1ff == 256);
        _assertUnchanged(slot, caller, abi.encodeCall(registry.getToolConfig, (toolId)));
    }

    function _assertUnchanged(uint256 slot, address caller, bytes memory question) private {
        uint256 before = _load(slot);
        _callAs(caller, question);
        assert(_load(slot) == before);
    }
}
