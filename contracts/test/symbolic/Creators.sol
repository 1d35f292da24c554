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

    function check_TheRegisteringAccountIsTheCreator(address caller, bytes32 hash, address predicate) public {
        vm.assume(_load(COUNT_SLOT) < MAX_IDS - 1);
        vm.assume(predicate != address(registry));
        (bool success, bytes memory returndata) =
            _callAs(caller, abi.encodeCall(registry.registerTool, (WELL_KNOWN_URI, hash, predicate)));
        if (!success) return;
        assert(_creator(abi.decode(returndata, (uint256))) == caller);
    }

    function check_SettingThePredicateKeepsTheCreator(uint64 toolId, address caller, address predicate) public {
        vm.assume(predicate != address(registry));
        address creator = _creator(toolId);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate)));
        if (!success) return;
        assert(_creator(toolId) == creator);
        assert(_predicate(toolId) == predicate);
    }

    function check_UpdatingMetadataKeepsTheCreator(uint64 toolId, address caller, bytes32 hash) public {
        vm.assume(_textLength(toolId) <= MEDIUM_TEXT_BYTES);
        address creator = _creator(toolId);
        uint256 unchangedBits = _load(_slot(toolId, 0)) & (LIVE | GATED | type(uint160).max);
        (bool success,) = _callAs(caller, abi.encodeCall(registry.updateToolMetadata, (toolId, WELL_KNOWN_URI, hash)));
        if (!success) return;
        assert(_creator(toolId) == creator);
        assert(_load(_slot(toolId, 0)) & (DEREGISTERED | LIVE | GATED | type(uint160).max) == unchangedBits);
    }

    /// @dev All selectors except the four functions that write and the three functions of the next two checks.
    /// @custom:halmos --array-lengths callData={0,3,4,5,36,68,100,132}
    function check_OtherCallsChangeNoSlot(address caller, bytes calldata callData, uint256 slot) public {
        if (callData.length >= 4) {
            bytes4 selector = bytes4(callData);
            vm.assume(selector != IToolRegistry.registerTool.selector);
            vm.assume(selector != IToolRegistry.deregisterTool.selector);
            vm.assume(selector != IToolRegistry.updateToolMetadata.selector);
            vm.assume(selector != IToolRegistry.setAccessPredicate.selector);
            vm.assume(selector != IToolRegistry.getToolConfig.selector);
            vm.assume(selector != IToolRegistry.hasAccess.selector);
            vm.assume(selector != IToolRegistry.tryHasAccess.selector);
        }
        _assertUnchanged(slot, caller, callData);
    }

    /// @custom:halmos --array-lengths data={0,1,31,32,33,64}
    function check_AccessChecksChangeNoSlot(
        uint256 toolId,
        address caller,
        address account,
        bytes calldata data,
        bool useHasAccess,
        uint256 slot
    ) public {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
        bytes4 selector = useHasAccess ? IToolRegistry.hasAccess.selector : IToolRegistry.tryHasAccess.selector;
        _assertUnchanged(slot, caller, abi.encodeWithSelector(selector, toolId, account, data));
    }

    /// @dev Uncompressed texts that fill their last slot. halmos cannot execute the read of a text with a symbolic
    ///      length.
    function check_ReadingAToolChangesNoSlot(uint64 toolId, address caller, uint256 slot) public {
        uint256 length = _textLength(toolId);
        vm.assume(length == 9 || length == 41 || length == 73);
        vm.assume(_load(_slot(toolId, 0)) >> 244 & 0x1ff == 256);
        _assertUnchanged(slot, caller, abi.encodeCall(registry.getToolConfig, (toolId)));
    }

    function _assertUnchanged(uint256 slot, address caller, bytes memory callData) private {
        uint256 before = _load(slot);
        _callAs(caller, callData);
        assert(_load(slot) == before);
    }
}
