// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { Dice } from "test/support/Dice.sol";

contract ToolCountFuzzTest is BaseTest {
    function testFuzz_IsTheHighestIdEver(uint256 seed) external {
        // A-04, A-05
        Dice memory dice = Dice(seed);
        uint256 highest = 0;
        for (uint256 i = 0; i < 20; i++) {
            if (highest > 0 && dice.oneIn(3)) {
                uint256 toolId = 1 + dice.roll(highest);
                vm.prank(creator);
                try registry.deregisterTool(toolId) { } catch { }
            } else {
                highest++;
                assertEq(_register(dice.oneIn(2) ? address(0) : address(yesPredicate)), highest, "id");
            }
            assertEq(registry.toolCount(), highest, "count is not the highest id ever given");
        }
    }
}
