// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { GasReportingToken } from "test/mocks/tokens/GasReportingToken.sol";
import { BoundedCallLibHarness } from "test/support/BoundedCallLibHarness.sol";

contract BoundedCallLibFuzzTest is BaseTest {
    BoundedCallLibHarness private harness;
    address private token;

    function setUp() public override {
        super.setUp();
        harness = new BoundedCallLibHarness();
        token = address(new GasReportingToken());
    }

    function testFuzz_TryStaticCallWord_StipendIsExact(uint256 stipend, uint256 gasLimit, uint8 length) external view {
        stipend = bound(stipend, 100, 300_000);
        gasLimit = bound(gasLimit, stipend, stipend + stipend / 30 + 10_000);
        bytes memory call = abi.encodeCall(harness.tryStaticCallWord, (token, stipend, new bytes(length % 0x25)));
        (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
        if (success) {
            assertEq(returndata, abi.encode(true, stipend - 2), "the target did not receive the exact stipend");
        } else {
            _assertNotEnoughGas(returndata, stipend);
        }
    }

    function testFuzz_TryStaticCallArray_StipendIsExact(uint256 stipend, uint256 gasLimit, uint8 length) external view {
        stipend = bound(stipend, 100, 300_000);
        gasLimit = bound(gasLimit, stipend, stipend + stipend / 30 + 10_000);
        bytes memory call =
            abi.encodeCall(harness.tryStaticCallArray, (token, stipend, new bytes(0x25 + uint256(length)), 1));
        (bool success, bytes memory returndata) = address(harness).staticcall{ gas: gasLimit }(call);
        if (success) {
            assertEq(returndata, abi.encode(true, 0x40, 1, stipend - 2), "the target did not receive the exact stipend");
        } else {
            _assertNotEnoughGas(returndata, stipend);
        }
    }

    function _assertNotEnoughGas(bytes memory returndata, uint256 stipend) private view {
        if (returndata.length == 0) return;
        uint256 needed = harness.gasRequired(stipend);
        assertEq(returndata, abi.encodeWithSelector(BoundedCallLib.NotEnoughGas.selector, needed), "wrong error");
    }
}
