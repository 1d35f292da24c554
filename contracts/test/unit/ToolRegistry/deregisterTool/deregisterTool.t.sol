// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";

contract DeregisterToolTest is BaseTest {
    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11
        _register(address(0));
        _assertReverts(creator, 0, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 0));
        _assertReverts(creator, 2, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 2));
        _assertReverts(eve, 2, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 2));
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13
        uint256 toolId = _register(address(grantingPredicate));
        _deregister(toolId);
        _assertReverts(creator, toolId, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        assertOnlyTombstone(address(registry), toolId);
    }

    function test_RevertGiven_ToolIsDeregistered_WhenCallerIsNotCreator() external {
        // A-14
        uint256 toolId = _register(address(0));
        _deregister(toolId);
        _assertReverts(eve, toolId, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        // A-10
        uint256 open = _register(address(0));
        uint256 gated = _register(address(grantingPredicate));
        _assertReverts(eve, open, abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, open, eve));
        _assertReverts(eve, gated, abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, gated, eve));
        _assertReverts(
            address(0), open, abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, open, address(0))
        );
    }

    function test_RevertWhen_CallerIsPredicate() external {
        // A-10
        uint256 toolId = _register(address(grantingPredicate));
        bytes memory expected =
            abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, address(grantingPredicate));
        _assertReverts(address(grantingPredicate), toolId, expected);
    }

    function test_WhenCallerIsCreator() external {
        // A-12
        uint256 toolId = _register(address(0));
        vm.recordLogs();
        vm.record();

        (bool success, bytes memory returndata) = _call(creator, abi.encodeCall(registry.deregisterTool, (toolId)));

        assertTrue(success, "the creator could not deregister the tool");
        assertEq(returndata.length, 0, "unexpected return data");
        bytes32[] memory slots = new bytes32[](3);
        slots[0] = toolSlot(toolId, 0);
        slots[1] = toolSlot(toolId, 2);
        slots[2] = toolSlot(toolId, 3);
        assertWrites(address(registry), slots);
        assertOnlyLogIsDeregistration(address(registry), toolId);
        assertOnlyTombstone(address(registry), toolId);
        assertEq(registry.toolCount(), 1, "count");
    }

    function test_GivenToolIsGated() external {
        // A-12
        uint256 toolId = _register(address(grantingPredicate));
        vm.recordLogs();
        vm.startStateDiffRecording();

        _deregister(toolId);

        assertOnlyStaticProbes(address(registry), address(grantingPredicate), 0);
        assertOnlyLogIsDeregistration(address(registry), toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function test_GivenURIOfEveryLength() external {
        // A-12
        for (uint256 length = 1; length <= 2048; length += length < 80 ? 1 : 123) {
            uint256 open = _register(_textOf(length), address(0));
            uint256 gated = _register(_textOf(length), address(grantingPredicate));
            _deregister(open);
            _deregister(gated);
            assertOnlyTombstone(address(registry), open);
            assertOnlyTombstone(address(registry), gated);
        }
        uint256 longest = _register(_textOf(2048), address(grantingPredicate));
        _deregister(longest);
        assertOnlyTombstone(address(registry), longest);
    }

    function test_GivenAdjacentTools() external {
        uint256 before = _register(_textOf(2048), address(grantingPredicate));
        uint256 removed = _register(_textOf(2048), address(grantingPredicate));
        uint256 trailing = _register(_textOf(2048), address(grantingPredicate));

        _deregister(removed);

        assertConfig(registry, before, _config(creator, _textOf(2048), MANIFEST_HASH, address(grantingPredicate)));
        assertConfig(registry, trailing, _config(creator, _textOf(2048), MANIFEST_HASH, address(grantingPredicate)));
    }

    function test_IsIrreversible() external {
        // A-12, A-13
        uint256 toolId = _register(address(0));
        _deregister(toolId);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId);
        bytes[6] memory calls = _callsOn(toolId);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returndata) = _call(creator, calls[i]);
            assertRevert(success, returndata, expected);
        }
        _register(address(0));
        assertOnlyTombstone(address(registry), toolId);
    }

    function _assertReverts(address caller, uint256 toolId, bytes memory expected) private {
        vm.recordLogs();
        vm.record();
        (bool success, bytes memory returndata) = _call(caller, abi.encodeCall(registry.deregisterTool, (toolId)));
        assertRevert(success, returndata, expected);
        assertNoWrites(address(registry));
        assertNoLogs();
    }
}
