// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { FullStipendNonPredicate } from "test/mocks/FullStipendNonPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { ExpectedCallToken } from "test/mocks/tokens/ExpectedCallToken.sol";
import { InterfaceProbeLibHarness } from "test/support/InterfaceProbeLibHarness.sol";

contract InterfaceProbeLibTest is BaseTest {
    bytes4 private constant ASKED = 0x12345678;

    InterfaceProbeLibHarness private harness;
    ContractAccount private caller;
    PresetResponsePredicate private target;

    function setUp() public override {
        super.setUp();
        harness = new InterfaceProbeLibHarness();
        caller = new ContractAccount();
        target = new PresetResponsePredicate();
    }

    function test_CanAsk() external {
        bool seenNo = false;
        bool seenYes = false;
        for (uint256 gasLimit = 33_200; gasLimit < 34_200; gasLimit++) {
            (bool success, bytes memory answer,) =
                caller.execute(address(harness), gasLimit, abi.encodeCall(harness.canAsk, ()));
            assertTrue(success, "the harness reverted");
            (bool can, uint256 gasLeft) = abi.decode(answer, (bool, uint256));
            if (can) assertGe(gasLeft, 33_700, "it may ask with less than 33,700 gas");
            else assertLt(gasLeft, 33_750, "it may not ask with more than 33,700 gas");
            seenNo = seenNo || !can;
            seenYes = seenYes || can;
        }
        assertTrue(seenNo && seenYes, "the boundary was not crossed");
    }

    function test_CanAsk_ThenTheAllowanceIsWhole() external {
        // D-12, T-02
        bytes memory question = abi.encodeCall(
            harness.askIfPossible, (address(new FullStipendNonPredicate()), type(IERC165).interfaceId)
        );
        uint256 asked = 0;
        for (uint256 gasLimit = 28_000; gasLimit < 40_000; gasLimit++) {
            (bool success, bytes memory answer,) = caller.execute(address(harness), gasLimit, question);
            if (!success) continue;
            (bool wasAsked, bool yes) = abi.decode(answer, (bool, bool));
            assertEq(yes, wasAsked, "a question was put with less than the whole allowance");
            if (wasAsked) asked++;
        }
        assertGt(asked, 1000, "the boundary was not crossed");
    }

    function test_SaysYes_WhenAnswerIsYes() external {
        uint256[4] memory lengths = [uint256(32), 33, 64, 96];
        for (uint256 i = 0; i < lengths.length; i++) {
            bytes memory answer = new bytes(lengths[i]);
            answer[31] = 0x01;
            answer[lengths[i] - 1] = lengths[i] == 32 ? bytes1(0x01) : bytes1(0xff);
            target.setResponse(ASKED, true, answer);
            assertTrue(harness.saysYes(address(target), ASKED), "a yes was not heard");
            assertFalse(harness.saysYes(address(target), 0x87654321), "a yes to another question was heard");
        }
    }

    function test_SaysYes_WhenAnswerIsNotYes() external {
        assertFalse(harness.saysYes(address(target), ASKED), "revert");
        assertFalse(harness.saysYes(makeAddr("no code"), ASKED), "no code");
        assertFalse(harness.saysYes(address(new GasBurner()), ASKED), "out of gas");
        target.setResponse(ASKED, false, abi.encode(true));
        assertFalse(harness.saysYes(address(target), ASKED), "revert that reads like a yes");
        for (uint256 length = 0; length < 32; length++) {
            bytes memory answer = new bytes(length);
            if (length > 0) answer[length - 1] = 0x01;
            target.setResponse(ASKED, true, answer);
            assertFalse(harness.saysYes(address(target), ASKED), "short answer");
        }
        target.setResponse(ASKED, true, abi.encode(false));
        assertFalse(harness.saysYes(address(target), ASKED), "no");
        for (uint256 bit = 1; bit < 256; bit++) {
            target.setResponse(ASKED, true, abi.encode(uint256(2 ** bit | 1)));
            assertFalse(harness.saysYes(address(target), ASKED), "another word");
        }
        target.setResponse(ASKED, true, abi.encode(uint256(0), uint256(1)));
        assertFalse(harness.saysYes(address(target), ASKED), "no, and a yes behind it");
    }

    function test_SaysYes_Question() external {
        bytes memory question = abi.encodeCall(IERC165.supportsInterface, (ASKED));
        vm.expectCall(address(target), 0, 30_000, question, 1);
        harness.saysYes(address(target), ASKED);

        ExpectedCallToken checking = new ExpectedCallToken();
        checking.expect(question);
        assertTrue(harness.saysYes(address(checking), ASKED), "the question is not what abi.encodeCall makes");
    }
}
