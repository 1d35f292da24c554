// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { CodeStoreLibHarness } from "test/support/CodeStoreLibHarness.sol";
import { Random } from "test/support/Random.sol";

contract CodeStoreLibFuzzTest is BaseTest {
    CodeStoreLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new CodeStoreLibHarness();
    }

    function testFuzz_RoundTrip(uint256 seed) external {
        Random memory random = Random(seed);
        uint256[] memory words = new uint256[](random.below(201));
        for (uint256 i = 0; i < words.length; i++) {
            words[i] = random.oneIn(5) ? 0 : uint256(random.word());
        }
        address at = harness.write(words);
        assertEq(at.code, abi.encodePacked(uint8(0), words), "the code is not STOP followed by the words");
        assertEq(abi.encode(harness.read(at, words.length)), abi.encode(words), "read value differs from written value");
    }
}
