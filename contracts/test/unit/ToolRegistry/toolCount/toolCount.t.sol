// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";

contract ToolCountTest is BaseTest {
    function test_GivenNoTools() external view {
        // A-05
        assertEq(registry.toolCount(), 0, "toolCount of an empty registry");
    }

    function test_GivenTools() external {
        // A-04, A-05
        for (uint256 i = 0; i < 5; i++) {
            uint256 toolId = _register(i % 2 == 0 ? address(0) : address(grantingPredicate));
            assertEq(registry.toolCount(), toolId, "toolCount is not the highest id");
            assertEq(vm.load(address(registry), COUNT_SLOT), bytes32(toolId), "counter slot");
        }
    }

    function test_GivenDeregisteredTools() external {
        // A-05
        for (uint256 toolId = 1; toolId <= 3; toolId++) {
            _register(address(0));
        }
        _deregister(3);
        assertEq(registry.toolCount(), 3, "toolCount after deregistering the last tool");
        _deregister(1);
        _deregister(2);
        assertEq(registry.toolCount(), 3, "toolCount after deregistering every tool");
        assertEq(_register(address(0)), 4, "id after deregistrations");
        assertEq(registry.toolCount(), 4, "toolCount after the next registration");
    }

    function test_GivenRevertedRegistrations() external {
        // A-05
        _register(address(0));
        _call(creator, abi.encodeCall(registry.registerTool, ("", MANIFEST_HASH, address(0))));
        _call(creator, abi.encodeCall(registry.registerTool, (METADATA_URI, 0, address(0))));
        _call(creator, abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(registry))));
        assertEq(registry.toolCount(), 1, "reverted registrations increased toolCount");
    }
}
