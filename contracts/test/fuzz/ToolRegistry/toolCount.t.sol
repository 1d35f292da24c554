// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { Random } from "test/support/Random.sol";

contract ToolCountFuzzTest is BaseTest {
    function testFuzz_IsHighestIdEver(uint256 seed) external {
        // A-04, A-05
        Random memory random = Random(seed);
        uint256 highest = 0;
        for (uint256 i = 0; i < 20; i++) {
            if (highest > 0 && random.oneIn(3)) {
                uint256 toolId = 1 + random.below(highest);
                vm.prank(creator);
                try registry.deregisterTool(toolId) { } catch { }
            } else {
                highest++;
                assertEq(_register(random.oneIn(2) ? address(0) : address(grantingPredicate)), highest, "id");
            }
            assertEq(registry.toolCount(), highest, "count is not the highest id");
        }
    }
}
