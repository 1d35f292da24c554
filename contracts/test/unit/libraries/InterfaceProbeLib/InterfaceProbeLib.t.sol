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
    bytes4 private constant INTERFACE_ID = 0x12345678;

    InterfaceProbeLibHarness private harness;
    ContractAccount private caller;
    PresetResponsePredicate private target;

    function setUp() public override {
        super.setUp();
        harness = new InterfaceProbeLibHarness();
        caller = new ContractAccount();
        target = new PresetResponsePredicate();
    }

    function test_HasProbeGas() external {
        bool seenLow = false;
        bool seenEnough = false;
        for (uint256 gasLimit = 42_600; gasLimit < 43_600; gasLimit++) {
            (bool success, bytes memory returndata,) =
                caller.execute(address(harness), gasLimit, abi.encodeCall(harness.hasProbeGas, ()));
            assertTrue(success, "the harness reverted");
            (bool isEnough, uint256 gasLeft) = abi.decode(returndata, (bool, uint256));
            if (isEnough) assertGe(gasLeft, 43_100, "hasProbeGas is true below 43,100 gas");
            else assertLt(gasLeft, 43_150, "hasProbeGas is false above 43,100 gas");
            seenLow = seenLow || !isEnough;
            seenEnough = seenEnough || isEnough;
        }
        assertTrue(seenLow && seenEnough, "the gas limits do not cross the boundary");
    }

    /// @dev Also if the call to an account with an EIP-7702 delegation costs as much as on Monad.
    function test_HasProbeGas_GuaranteesFullStipend() external {
        // D-12, T-02
        address nonPredicate = address(new FullStipendNonPredicate());
        uint256[3] memory prices = [uint256(0), 2600, 10_100];
        for (uint256 i = 0; i < prices.length; i++) {
            bytes memory callData =
                abi.encodeCall(harness.probeIfPossible, (nonPredicate, type(IERC165).interfaceId, prices[i]));
            uint256 probed = 0;
            for (uint256 gasLimit = 40_000; gasLimit < 48_000; gasLimit += 7) {
                (bool success, bytes memory returndata,) = caller.execute(address(harness), gasLimit, callData);
                if (!success) continue;
                (bool wasProbed, bool supported) = abi.decode(returndata, (bool, bool));
                assertEq(supported, wasProbed, "a probe received less than the full stipend");
                if (wasProbed) probed++;
            }
            assertGt(probed, 100, "the gas limits do not cross the boundary");
        }
    }

    function test_SupportsInterface_WhenReturnIsTrue() external {
        uint256[4] memory lengths = [uint256(32), 33, 64, 96];
        for (uint256 i = 0; i < lengths.length; i++) {
            bytes memory returndata = new bytes(lengths[i]);
            returndata[31] = 0x01;
            returndata[lengths[i] - 1] = lengths[i] == 32 ? bytes1(0x01) : bytes1(0xff);
            target.setResponse(INTERFACE_ID, true, returndata);
            assertTrue(harness.supportsInterface(address(target), INTERFACE_ID), "a valid true was ignored");
            assertFalse(
                harness.supportsInterface(address(target), 0x87654321), "true for another interface id was accepted"
            );
        }
    }

    function test_SupportsInterface_WhenReturnIsNotTrue() external {
        assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "revert");
        assertFalse(harness.supportsInterface(makeAddr("no code"), INTERFACE_ID), "no code");
        assertFalse(harness.supportsInterface(address(new GasBurner()), INTERFACE_ID), "out of gas");
        target.setResponse(INTERFACE_ID, false, abi.encode(true));
        assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "revert with true");
        for (uint256 length = 0; length < 32; length++) {
            bytes memory returndata = new bytes(length);
            if (length > 0) returndata[length - 1] = 0x01;
            target.setResponse(INTERFACE_ID, true, returndata);
            assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "short return data");
        }
        target.setResponse(INTERFACE_ID, true, abi.encode(false));
        assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "false");
        for (uint256 bit = 1; bit < 256; bit++) {
            target.setResponse(INTERFACE_ID, true, abi.encode(uint256(2 ** bit | 1)));
            assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "non-boolean value");
        }
        target.setResponse(INTERFACE_ID, true, abi.encode(uint256(0), uint256(1)));
        assertFalse(harness.supportsInterface(address(target), INTERFACE_ID), "false followed by true");
    }

    function test_SupportsInterface_Calldata() external {
        bytes memory callData = abi.encodeCall(IERC165.supportsInterface, (INTERFACE_ID));
        vm.expectCall(address(target), 0, 30_000, callData, 1);
        harness.supportsInterface(address(target), INTERFACE_ID);

        ExpectedCallToken expecting = new ExpectedCallToken();
        expecting.expect(callData);
        assertTrue(harness.supportsInterface(address(expecting), INTERFACE_ID), "calldata differs from abi.encodeCall");
    }
}
