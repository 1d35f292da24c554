// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { Random } from "test/support/Random.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract DeregisterToolFuzzTest is BaseTest {
    function testFuzz_LeavesOnlyTombstone(uint256 seed, bool gated, bool changed) external {
        // A-12
        uint256 toolId =
            _register(string(URIShapes.valid(Random(seed))), gated ? address(grantingPredicate) : address(0));
        if (changed) {
            vm.prank(creator);
            registry.setAccessPredicate(toolId, gated ? address(0) : address(grantingPredicate));
        }
        vm.recordLogs();
        _deregister(toolId);
        assertOnlyLogIsDeregistration(address(registry), toolId);
        assertOnlyTombstone(address(registry), toolId);
    }

    function testFuzz_RevertWhen_CallerIsNotCreator(address caller, bool gated) external {
        // A-10
        vm.assume(caller != creator);
        uint256 toolId = _register(gated ? address(grantingPredicate) : address(0));
        bytes[6] memory calls = _callsOn(toolId);
        for (uint256 i = 0; i < 3; i++) {
            (bool success, bytes memory returndata) = _call(caller, calls[i]);
            assertRevert(
                success, returndata, abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, caller)
            );
        }
    }

    function testFuzz_RevertGiven_ToolIsDeregistered(address caller, bool gated) external {
        // A-13, A-14
        uint256 toolId = _register(gated ? address(grantingPredicate) : address(0));
        _deregister(toolId);
        bytes[6] memory calls = _callsOn(toolId);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returndata) = _call(caller, calls[i]);
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }
}
