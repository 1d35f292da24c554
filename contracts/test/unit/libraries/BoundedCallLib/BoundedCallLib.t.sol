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

/// @dev A cheatcode that the pinned forge-std lacks.
interface EvmVersions {
    function setEvmVersion(string calldata evm) external;
}

contract BoundedCallLibTest is BaseTest {
    bytes4 private constant SELECTOR = IERC20.balanceOf.selector;

    /// @dev Upper bound of the harness's gas before the check, including 2,600 for the cold account.
    uint256 private constant GAS_BEFORE_CHECK = 4500;

    BoundedCallLibHarness private harness;
    PresetResponseToken private preset;
    bytes private callData;

    function setUp() public override {
        super.setUp();
        harness = new BoundedCallLibHarness();
        preset = new PresetResponseToken();
        callData = abi.encodeWithSelector(SELECTOR, agent);
    }

    /* GAS */

    function test_GasRequired() external view {
        for (uint256 stipend = 0; stipend < 200_000; stipend += 97) {
            uint256 needed = harness.gasRequired(stipend);
            assertEq(needed, stipend + stipend / 63 + 500, "not stipend + 1/63 + margin");
            uint256 atCall = needed - 500;
            assertGe(atCall - atCall / 64, stipend, "gas is too low to forward the stipend");
            assertLt(needed, stipend + stipend / 60 + 4000, "more gas than needed");
        }
    }

    function test_TryStaticCallWord_WhenGasVaries() external {
        _assertExact(
            abi.encodeCall(harness.tryStaticCallWord, (address(new GasReportingToken()), 10_000, callData)), 10_000, 32
        );
        _assertExact(
            abi.encodeCall(harness.tryStaticCallWord, (address(new GasReportingToken()), 20, callData)), 20, 32
        );
    }

    function test_TryStaticCallArray_WhenGasVaries() external {
        bytes memory longer = bytes.concat(callData, new bytes(32));
        _assertExact(
            abi.encodeCall(harness.tryStaticCallArray, (address(new GasReportingToken()), 30_000, longer, 1)),
            30_000,
            96
        );
    }

    function test_TryStaticCallWord_GivenDelegatedAccount() external {
        // EIP-7702: a call also pays for access to the delegated code.
        EvmVersions(address(vm)).setEvmVersion("prague");
        address account = makeAddr("delegated");
        vm.etch(account, abi.encodePacked(hex"ef0100", address(new GasReportingToken())));
        _assertExact(abi.encodeCall(harness.tryStaticCallWord, (account, 10_000, callData)), 10_000, 32, 12_000);
    }

    function test_TryStaticCallBool_WhenGasVaries() external {
        GasBurner burner = new GasBurner();
        bytes memory call = abi.encodeCall(harness.tryStaticCallBool, (address(burner), 20_000, callData));
        uint256 results = 0;
        for (uint256 gasLimit = 1000; gasLimit < 40_000; gasLimit += 53) {
            uint256 before = gasleft();
            (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
            uint256 used = before - gasleft();
            if (success) {
                assertEq(returndata, abi.encode(false, false), "the gas burner returned a result");
                assertGt(used, 20_000, "the gas burner received less than its stipend");
                results++;
            } else if (returndata.length > 0) {
                _assertNotEnoughGas(returndata, 20_000, 0);
            }
        }
        assertGt(results, 100, "too few gas limits were sufficient");
    }

    function test_WhenTargetBurnsAllGas() external {
        GasBurner burner = new GasBurner();
        bytes memory burnerCall = callData;
        uint256 before = gasleft();
        (bool ok,) = harness.tryStaticCallWord(address(burner), 50_000, burnerCall);
        uint256 used = before - gasleft();
        assertFalse(ok, "the gas burner returned a result");
        assertGt(used, 50_000, "the gas burner received less than its stipend");
        assertLt(used, 50_000 + 10_000, "the gas burner received more than its stipend");
    }

    /* CALLDATA */

    function test_WhenCalldataIsArbitrary() external {
        ExpectedCallToken token = new ExpectedCallToken();
        for (uint256 length = 4; length < 100; length++) {
            bytes memory text = bytes(_textOf(length));
            token.expect(text);
            (bool ok, uint256 word) = harness.tryStaticCallWord(address(token), 10_000, text);
            assertTrue(ok && word == 1, "the call arrived modified");
            bool value;
            (ok, value) = harness.tryStaticCallBool(address(token), 10_000, text);
            assertTrue(ok && value, "the call arrived modified");
        }
    }

    function test_WhenTargetWrites() external {
        StorageWritingToken token = new StorageWritingToken();
        (bool ok,) = harness.tryStaticCallWord(address(token), 100_000, callData);
        assertFalse(ok, "a storage write succeeded");
        (ok,) = harness.tryStaticCallBool(address(token), 100_000, callData);
        assertFalse(ok, "a storage write succeeded");
        (ok,) = harness.tryStaticCallArray(address(token), 100_000, callData, 1);
        assertFalse(ok, "a storage write succeeded");
        assertEq(token.writes(), 0, "written");
    }

    /* RETURN VALUES */

    function test_TryStaticCallWord() external {
        for (uint256 length = 0; length <= 100; length++) {
            bytes memory returndata = _filled(length);
            preset.setResponse(SELECTOR, true, returndata);
            (bool ok, uint256 word) = harness.tryStaticCallWord(address(preset), 100_000, callData);
            assertEq(ok, length >= 32, "ok");
            if (ok) assertEq(word, uint256(bytes32(returndata)), "word");
            preset.setResponse(SELECTOR, false, returndata);
            (ok,) = harness.tryStaticCallWord(address(preset), 100_000, callData);
            assertFalse(ok, "a revert was treated as a result");
        }
    }

    function test_TryStaticCallBool() external {
        for (uint256 word = 0; word < 4; word++) {
            for (uint256 length = 0; length <= 66; length++) {
                bytes memory returndata = new bytes(length);
                if (length > 0) returndata[length < 32 ? length - 1 : 31] = bytes1(uint8(word));
                bool isBool = length == 32 && word < 2;
                preset.setResponse(SELECTOR, true, returndata);
                (bool ok, bool value) = harness.tryStaticCallBool(address(preset), 100_000, callData);
                assertEq(ok, isBool, "ok");
                assertEq(value, isBool && word == 1, "result");
                preset.setResponse(SELECTOR, false, returndata);
                (ok, value) = harness.tryStaticCallBool(address(preset), 100_000, callData);
                assertFalse(ok || value, "a revert was treated as a result");
            }
        }
        for (uint256 bit = 1; bit < 256; bit++) {
            preset.setResponse(SELECTOR, true, abi.encode(2 ** bit | 1));
            (bool ok, bool value) = harness.tryStaticCallBool(address(preset), 100_000, callData);
            assertFalse(ok || value, "a non-boolean value was accepted");
        }
    }

    function test_TryStaticCallArray() external {
        for (uint256 length = 0; length < 20; length++) {
            uint256[] memory expected = _words(length);
            bytes memory encoded = abi.encode(expected);
            _assertArray(encoded, length, true);
            _assertArray(bytes.concat(encoded, "trailing"), length, true);
            _assertArray(encoded, length + 1, false);
            if (length > 0) _assertArray(encoded, length - 1, false);
            for (uint256 cut = 1; cut < 70; cut += 7) {
                bytes memory head = abi.encode(expected);
                assembly ("memory-safe") {
                    mstore(head, sub(mload(head), cut))
                }
                if (cut <= encoded.length) _assertArray(head, length, false);
            }
            encoded[0] = 0x80;
            _assertArray(encoded, length, false);
            (encoded[0], encoded[32]) = (0, 0x80);
            _assertArray(encoded, length, false);
            (encoded[32], encoded[31]) = (0, 0x40);
            _assertArray(encoded, length, false);
        }
    }

    function test_TryStaticCallArray_GivenRevert() external {
        preset.setResponse(SELECTOR, false, abi.encode(_words(3)));
        (bool ok,) = harness.tryStaticCallArray(address(preset), 100_000, callData, 3);
        assertFalse(ok, "a revert was treated as a result");
    }

    function _assertArray(bytes memory returndata, uint256 length, bool isValid) private {
        preset.setResponse(SELECTOR, true, returndata);
        (bool ok, uint256[] memory words) = harness.tryStaticCallArray(address(preset), 200_000, callData, length);
        assertEq(ok, isValid, "ok");
        if (isValid) assertEq(abi.encode(words), abi.encode(_words(length)), "words");
    }

    /// @dev The last returned word is the gas the token received; otherwise the call reverted with NotEnoughGas.
    function _assertExact(bytes memory call, uint256 stipend, uint256 size) private view {
        _assertExact(call, stipend, size, 0);
    }

    function _assertExact(bytes memory call, uint256 stipend, uint256 size, uint256 extraGas) private view {
        uint256 results = 0;
        uint256 reverts = 0;
        uint256 highestRejected = 0;
        for (uint256 gasLimit = 1000; gasLimit < 2 * stipend + 20_000; gasLimit += 13) {
            (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
            if (!success) {
                if (returndata.length == 0) continue;
                _assertNotEnoughGas(returndata, stipend, extraGas);
                reverts++;
                highestRejected = gasLimit;
                continue;
            }
            bool ok;
            uint256 word;
            assembly ("memory-safe") {
                ok := mload(add(returndata, 0x20))
                word := mload(add(returndata, mload(returndata)))
            }
            require(returndata.length == 32 + size, "wrong return data length");
            require(ok == stipend > 100, "ok");
            require(!ok || word == stipend - 2, "the target did not receive the exact stipend");
            results++;
        }
        assertGt(results, 100, "too few gas limits were sufficient");
        assertGt(reverts, 5, "no gas limit was too low");
        uint256 needed = harness.gasRequired(stipend) + extraGas;
        assertLt(highestRejected, needed + GAS_BEFORE_CHECK, "a sufficient gas limit was rejected");
    }

    function _assertNotEnoughGas(bytes memory returndata, uint256 stipend, uint256 extraGas) private view {
        uint256 needed = harness.gasRequired(stipend) + extraGas;
        bytes memory expected = abi.encodeWithSelector(BoundedCallLib.NotEnoughGas.selector, needed);
        require(keccak256(returndata) == keccak256(expected), "wrong error");
    }

    function _filled(uint256 length) private pure returns (bytes memory text) {
        text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = bytes1(uint8(i + 1));
        }
    }
}
