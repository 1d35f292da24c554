// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { PredicateCallLibHarness } from "test/support/PredicateCallLibHarness.sol";

contract PredicateCallLibTest is BaseTest {
    PredicateCallLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new PredicateCallLibHarness();
    }

    function test_TryHasAccess_Calldata() external {
        // C-11
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        uint256[3] memory ids = [uint256(1), 2 ** 64 - 1, type(uint256).max];
        for (uint256 length = 0; length <= 130; length++) {
            bytes memory data = bytes(_textOf(length));
            uint256 toolId = ids[length % 3];
            bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, data));
            predicate.expect(address(harness), callData);
            vm.expectCall(address(predicate), 0, 200_000, callData, 1);
            (bool ok, bool granted) = harness.tryHasAccess(address(predicate), toolId, agent, data);
            assertTrue(ok && granted, "the call arrived modified");
        }
    }

    function test_TryHasAccess_ReturnData() external {
        // C-03, C-04, C-05, C-08
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        for (uint8 word = 0; word < 4; word++) {
            for (uint256 length = 0; length <= 66; length++) {
                bytes memory returndata = new bytes(length);
                if (length > 0) returndata[length < 32 ? length - 1 : 31] = bytes1(word);
                bool isBool = length == 32 && word < 2;
                predicate.setHasAccess(true, returndata);
                (bool ok, bool granted) = harness.tryHasAccess(address(predicate), 1, agent, "");
                assertEq(ok, isBool, "ok");
                assertEq(granted, isBool && word == 1, "granted");
                predicate.setHasAccess(false, returndata);
                (ok, granted) = harness.tryHasAccess(address(predicate), 1, agent, "");
                assertFalse(ok || granted, "a failed call returned a result");
            }
        }
    }

    function test_TryHasAccess_Memory() external view {
        for (uint256 length = 0; length <= 4096; length = length * 2 + 1) {
            (bool ok, bool granted) = harness.tryHasAccess(address(grantingPredicate), 1, agent, new bytes(length));
            assertTrue(ok && granted, "call failed");
        }
    }
}
