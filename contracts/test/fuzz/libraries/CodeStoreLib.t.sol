// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { CodeStoreLibHarness } from "test/support/CodeStoreLibHarness.sol";
import { Dice } from "test/support/Dice.sol";

contract CodeStoreLibFuzzTest is BaseTest {
    CodeStoreLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new CodeStoreLibHarness();
    }

    function testFuzz_RoundTrip(uint256 seed) external {
        Dice memory dice = Dice(seed);
        uint256[] memory words = new uint256[](dice.roll(201));
        for (uint256 i = 0; i < words.length; i++) {
            words[i] = dice.oneIn(5) ? 0 : uint256(dice.word());
        }
        address at = harness.write(words);
        assertEq(at.code, abi.encodePacked(uint8(0), words), "the code is not STOP and the words");
        assertEq(abi.encode(harness.read(at, words.length)), abi.encode(words), "read is not what was written");
    }
}
