// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Tombstones is SymbolicTest {
    function check_DeregisteringLeavesOnlyATombstone(uint64 toolId, address caller, uint8 offset) public {
        vm.assume(_textLength(toolId) <= MAX_TEXT_BYTES);
        vm.assume(offset > 0 && offset < SLOTS_PER_TOOL);
        uint256 header = _load(_slot(toolId, 0));
        uint256 before = _load(_slot(toolId, offset));
        (bool success,) = _callAs(caller, abi.encodeCall(registry.deregisterTool, (toolId)));
        if (!success) return;
        assert(_load(_slot(toolId, 0)) == DEREGISTERED);
        assert(_load(_slot(toolId, offset)) == (_isUsed(header, offset) ? 0 : before));
    }

    function check_CallsOnATombstoneRevert(uint64 toolId, address caller, bytes32 word, uint8 selectorIndex) public {
        vm.assume(_load(_slot(toolId, 0)) == DEREGISTERED);
        (bool success, bytes memory returndata) =
            _callAs(caller, _callOn(toolId, address(uint160(uint256(word))), word, selectorIndex));
        assert(!success);
        assert(
            keccak256(returndata)
                == keccak256(abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, uint256(toolId)))
        );
    }

    function check_DeregisteringKeepsTombstones(uint64 deregistered, uint8 offset, uint256 toolId, address caller)
        public
    {
        vm.assume(_textLength(toolId) <= MAX_TEXT_BYTES);
        _assertUnchangedTombstone(deregistered, offset, caller, abi.encodeCall(registry.deregisterTool, (toolId)));
    }

    function check_SettingThePredicateKeepsTombstones(
        uint64 deregistered,
        uint8 offset,
        uint256 toolId,
        address caller,
        address predicate
    ) public {
        vm.assume(predicate != address(registry));
        _assertUnchangedTombstone(
            deregistered, offset, caller, abi.encodeCall(registry.setAccessPredicate, (toolId, predicate))
        );
    }

    function check_UpdatingMetadataKeepsTombstones(
        uint64 deregistered,
        uint8 offset,
        uint256 toolId,
        address caller,
        bytes32 hash
    ) public {
        vm.assume(_textLength(toolId) <= MEDIUM_TEXT_BYTES);
        _assertUnchangedTombstone(
            deregistered, offset, caller, abi.encodeCall(registry.updateToolMetadata, (toolId, WELL_KNOWN_URI, hash))
        );
    }

    function check_RegisteringKeepsTombstones(
        uint64 deregistered,
        uint8 offset,
        address caller,
        bytes32 hash,
        address predicate
    ) public {
        uint256 count = _load(COUNT_SLOT);
        vm.assume(deregistered <= count && count < MAX_IDS - 1);
        vm.assume(predicate != address(registry));
        _assertUnchangedTombstone(
            deregistered, offset, caller, abi.encodeCall(registry.registerTool, (WELL_KNOWN_URI, hash, predicate))
        );
    }

    /// @dev All selectors except the functions above that take a string, and `getToolConfig`. Includes unknown
    ///      selectors.
    function check_OtherCallsKeepTombstones(
        uint64 deregistered,
        uint8 offset,
        address caller,
        bytes4 selector,
        uint256 toolId,
        address account
    ) public {
        vm.assume(selector != IToolRegistry.registerTool.selector);
        vm.assume(selector != IToolRegistry.updateToolMetadata.selector);
        vm.assume(_textLength(toolId) <= MAX_TEXT_BYTES);
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
        vm.assume(selector != IToolRegistry.getToolConfig.selector);
        _assertUnchangedTombstone(deregistered, offset, caller, abi.encodeWithSelector(selector, toolId, account, ""));
    }

    function _assertUnchangedTombstone(uint64 deregistered, uint8 offset, address caller, bytes memory callData)
        private
    {
        vm.assume(offset < SLOTS_PER_TOOL);
        vm.assume(_load(_slot(deregistered, 0)) == DEREGISTERED);
        uint256 before = _load(_slot(deregistered, offset));
        _callAs(caller, callData);
        assert(_load(_slot(deregistered, offset)) == before);
    }

    /// @dev Returns whether a tool with this header uses the slot at `offset`.
    function _isUsed(uint256 header, uint256 offset) private pure returns (bool) {
        if (offset == 1) return header & GATED != 0;
        return offset == 2 || (header >> 232 & 0xfff) > 9 + 32 * (offset - 3);
    }
}
