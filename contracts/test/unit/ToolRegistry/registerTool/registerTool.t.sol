// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";

contract RegisterToolTest is BaseTest {
    function test_x() external {
        vm.recordLogs();
        vm.record();
        vm.startStateDiffRecording();
        uint256 id = _register(address(yesPredicate));
        assertOnlyStaticProbes(address(registry), address(yesPredicate), 2);
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(registry));
        emit log_named_uint("reads", reads.length);
        for (uint256 i = 0; i < writes.length; i++) emit log_named_bytes32("w", writes[i]);
        assertEq(vm.getRecordedLogs().length, 1);
        assertEq(id, 1);
    }
}
