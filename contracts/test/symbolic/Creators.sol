// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

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
}
