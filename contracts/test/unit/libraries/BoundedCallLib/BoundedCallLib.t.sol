// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20 } from "src/interfaces/external/IERC20.sol";
import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { ExpectedCallToken } from "test/mocks/tokens/ExpectedCallToken.sol";
import { GasReportingToken } from "test/mocks/tokens/GasReportingToken.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { StorageWritingToken } from "test/mocks/tokens/StorageWritingToken.sol";
import { BoundedCallLibHarness } from "test/support/BoundedCallLibHarness.sol";

/// @dev A cheatcode that our version of forge-std does not list.
interface EvmVersions {
    function setEvmVersion(string calldata evm) external;
}

contract BoundedCallLibTest is BaseTest {
    bytes4 private constant SELECTOR = IERC20.balanceOf.selector;

    /// @dev Gas that the harness uses at most before the check, 2,600 of it to look at a cold account.
    uint256 private constant UP_TO_THE_CHECK = 4500;

    BoundedCallLibHarness private harness;
    PresetResponseToken private reciting;
    bytes private question;

    function setUp() public override {
        super.setUp();
        harness = new BoundedCallLibHarness();
        reciting = new PresetResponseToken();
        question = abi.encodeWithSelector(SELECTOR, agent);
    }

    /* GAS */

    function test_GasToAsk() external view {
        for (uint256 stipend = 0; stipend < 200_000; stipend += 97) {
            uint256 needed = harness.gasToAsk(stipend);
            assertEq(needed, stipend + stipend / 63 + 500, "not the stipend, the part that is kept, and the margin");
            uint256 atCall = needed - 500;
            assertGe(atCall - atCall / 64, stipend, "the stipend cannot be forwarded");
            assertLt(needed, stipend + stipend / 60 + 4000, "more than needed");
        }
    }

    function test_AskWord_WhenGasVaries() external {
        _assertExact(abi.encodeCall(harness.askWord, (address(new GasReportingToken()), 10_000, question)), 10_000, 32);
        _assertExact(abi.encodeCall(harness.askWord, (address(new GasReportingToken()), 20, question)), 20, 32);
    }

    function test_AskArray_WhenGasVaries() external {
        bytes memory longer = bytes.concat(question, new bytes(32));
        _assertExact(
            abi.encodeCall(harness.askArray, (address(new GasReportingToken()), 30_000, longer, 1)), 30_000, 96
        );
    }

    function test_AskWord_GivenDelegatedAccount() external {
        // EIP-7702: calling the account also costs the access to the code it delegates to.
        EvmVersions(address(vm)).setEvmVersion("prague");
        address account = makeAddr("delegated");
        vm.etch(account, abi.encodePacked(hex"ef0100", address(new GasReportingToken())));
        _assertExact(abi.encodeCall(harness.askWord, (account, 10_000, question)), 10_000, 32, 2600);
    }

    function test_AskBool_WhenGasVaries() external {
        GasBurner burner = new GasBurner();
        bytes memory call = abi.encodeCall(harness.askBool, (address(burner), 20_000, question));
        uint256 answers = 0;
        for (uint256 gasLimit = 1000; gasLimit < 40_000; gasLimit += 53) {
            uint256 before = gasleft();
            (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
            uint256 used = before - gasleft();
            if (success) {
                assertEq(returndata, abi.encode(false, false), "a burner answered");
                assertGt(used, 20_000, "the burner did not get its stipend");
                answers++;
            } else if (returndata.length > 0) {
                _assertNotEnoughGas(returndata, 20_000, 0);
            }
        }
        assertGt(answers, 100, "hardly any amount of gas was enough");
    }

    function test_WhenTargetBurnsAll() external {
        GasBurner burner = new GasBurner();
        bytes memory asked = question;
        uint256 before = gasleft();
        (bool answered,) = harness.askWord(address(burner), 50_000, asked);
        uint256 used = before - gasleft();
        assertFalse(answered, "a burner answered");
        assertGt(used, 50_000, "the burner did not get its stipend");
        assertLt(used, 50_000 + 10_000, "the burner got more than its stipend");
    }

    /* QUESTION */

    function test_WhenQuestionIsAnyBytes() external {
        ExpectedCallToken token = new ExpectedCallToken();
        for (uint256 length = 4; length < 100; length++) {
            bytes memory text = bytes(_textOf(length));
            token.expect(text);
            (bool answered, uint256 word) = harness.askWord(address(token), 10_000, text);
            assertTrue(answered && word == 1, "the question arrived changed");
            (bool ok, bool yes) = harness.askBool(address(token), 10_000, text);
            assertTrue(ok && yes, "the question arrived changed");
        }
    }

    function test_WhenTargetWrites() external {
        StorageWritingToken token = new StorageWritingToken();
        (bool answered,) = harness.askWord(address(token), 100_000, question);
        assertFalse(answered, "a write was let through");
        (answered,) = harness.askBool(address(token), 100_000, question);
        assertFalse(answered, "a write was let through");
        (answered,) = harness.askArray(address(token), 100_000, question, 1);
        assertFalse(answered, "a write was let through");
        assertEq(token.writes(), 0, "written");
    }

    /* ANSWERS */

    function test_AskWord() external {
        for (uint256 length = 0; length <= 100; length++) {
            bytes memory answer = _filled(length);
            reciting.setResponse(SELECTOR, true, answer);
            (bool answered, uint256 word) = harness.askWord(address(reciting), 100_000, question);
            assertEq(answered, length >= 32, "whether it is an answer");
            if (answered) assertEq(word, uint256(bytes32(answer)), "the word");
            reciting.setResponse(SELECTOR, false, answer);
            (answered,) = harness.askWord(address(reciting), 100_000, question);
            assertFalse(answered, "a revert is an answer");
        }
    }

    function test_AskBool() external {
        for (uint256 word = 0; word < 4; word++) {
            for (uint256 length = 0; length <= 66; length++) {
                bytes memory answer = new bytes(length);
                if (length > 0) answer[length < 32 ? length - 1 : 31] = bytes1(uint8(word));
                bool isBool = length == 32 && word < 2;
                reciting.setResponse(SELECTOR, true, answer);
                (bool answered, bool yes) = harness.askBool(address(reciting), 100_000, question);
                assertEq(answered, isBool, "whether it is an answer");
                assertEq(yes, isBool && word == 1, "the answer");
                reciting.setResponse(SELECTOR, false, answer);
                (answered, yes) = harness.askBool(address(reciting), 100_000, question);
                assertFalse(answered || yes, "a revert is an answer");
            }
        }
        for (uint256 bit = 1; bit < 256; bit++) {
            reciting.setResponse(SELECTOR, true, abi.encode(2 ** bit | 1));
            (bool answered, bool yes) = harness.askBool(address(reciting), 100_000, question);
            assertFalse(answered || yes, "a word that is no bool");
        }
    }

    function test_AskArray() external {
        for (uint256 length = 0; length < 20; length++) {
            uint256[] memory expected = _words(length);
            bytes memory whole = abi.encode(expected);
            _assertArray(whole, length, true);
            _assertArray(bytes.concat(whole, "behind"), length, true);
            _assertArray(whole, length + 1, false);
            if (length > 0) _assertArray(whole, length - 1, false);
            for (uint256 cut = 1; cut < 70; cut += 7) {
                bytes memory head = abi.encode(expected);
                assembly ("memory-safe") {
                    mstore(head, sub(mload(head), cut))
                }
                if (cut <= whole.length) _assertArray(head, length, false);
            }
            whole[0] = 0x80;
            _assertArray(whole, length, false);
            (whole[0], whole[32]) = (0, 0x80);
            _assertArray(whole, length, false);
            (whole[32], whole[31]) = (0, 0x40);
            _assertArray(whole, length, false);
        }
    }

    function test_AskArray_GivenRevert() external {
        reciting.setResponse(SELECTOR, false, abi.encode(_words(3)));
        (bool answered,) = harness.askArray(address(reciting), 100_000, question, 3);
        assertFalse(answered, "a revert is an answer");
    }

    function _assertArray(bytes memory answer, uint256 length, bool isAnswer) private {
        reciting.setResponse(SELECTOR, true, answer);
        (bool answered, uint256[] memory words) = harness.askArray(address(reciting), 200_000, question, length);
        assertEq(answered, isAnswer, "whether it is an answer");
        if (isAnswer) assertEq(abi.encode(words), abi.encode(_words(length)), "the words");
    }

    /// @dev The token's answer, in the last word returned, says what it was given; or there was not enough.
    function _assertExact(bytes memory call, uint256 stipend, uint256 size) private view {
        _assertExact(call, stipend, size, 0);
    }

    function _assertExact(bytes memory call, uint256 stipend, uint256 size, uint256 extraGas) private view {
        uint256 answers = 0;
        uint256 refusals = 0;
        uint256 highestRefused = 0;
        for (uint256 gasLimit = 1000; gasLimit < 2 * stipend + 20_000; gasLimit += 13) {
            (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
            if (!success) {
                if (returndata.length == 0) continue;
                _assertNotEnoughGas(returndata, stipend, extraGas);
                refusals++;
                highestRefused = gasLimit;
                continue;
            }
            bool answered;
            uint256 word;
            assembly ("memory-safe") {
                answered := mload(add(returndata, 0x20))
                word := mload(add(returndata, mload(returndata)))
            }
            require(returndata.length == 32 + size, "another shape");
            require(answered == stipend > 100, "whether it is an answer");
            require(!answered || word == stipend - 2, "not the exact stipend");
            answers++;
        }
        assertGt(answers, 100, "hardly any amount of gas was enough");
        assertGt(refusals, 5, "no amount of gas was refused");
        uint256 needed = harness.gasToAsk(stipend) + extraGas;
        assertLt(highestRefused, needed + UP_TO_THE_CHECK, "more was refused than had to be");
    }

    function _assertNotEnoughGas(bytes memory returndata, uint256 stipend, uint256 extraGas) private view {
        uint256 needed = harness.gasToAsk(stipend) + extraGas;
        bytes memory expected = abi.encodeWithSelector(BoundedCallLib.NotEnoughGas.selector, needed);
        require(keccak256(returndata) == keccak256(expected), "another error");
    }

    function _words(uint256 length) private pure returns (uint256[] memory words) {
        words = new uint256[](length);
        for (uint256 i = 0; i < length; i++) {
            words[i] = uint256(keccak256(abi.encode(i)));
        }
    }

    function _filled(uint256 length) private pure returns (bytes memory text) {
        text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = bytes1(uint8(i + 1));
        }
    }
}
