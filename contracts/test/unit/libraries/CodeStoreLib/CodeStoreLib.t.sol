// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CodeStoreLib } from "src/libraries/CodeStoreLib.sol";
import { BaseTest } from "test/BaseTest.sol";
import { CodeStoreLibHarness } from "test/support/CodeStoreLibHarness.sol";

contract CodeStoreLibTest is BaseTest {
    CodeStoreLibHarness private harness;

    function setUp() public override {
        super.setUp();
        harness = new CodeStoreLibHarness();
    }

    function test_WriteAndRead() external {
        for (uint256 length = 0; length <= 200; length += length < 20 ? 1 : 17) {
            uint256[] memory words = _words(length);
            address at = harness.write(words);
            assertEq(at.code, abi.encodePacked(uint8(0), words), "the code is not STOP followed by the words");
            assertEq(abi.encode(harness.read(at, length)), abi.encode(words), "read value differs from written value");
        }
    }

    function test_Write_GivenSameWords() external {
        assertNotEq(harness.write(_words(3)), harness.write(_words(3)), "two writes share a data contract");
    }

    function test_Write_WhenGasRunsOut() external {
        bytes memory call = abi.encodeCall(harness.write, (_words(100)));
        uint256 stores = 0;
        uint256 reverts = 0;
        for (uint256 gasLimit = 20_000; gasLimit < 1_000_000; gasLimit += 5003) {
            (bool success, bytes memory returndata) = address(harness).call{ gas: gasLimit }(call);
            if (success) {
                address at = abi.decode(returndata, (address));
                assertEq(at.code.length, 3201, "an incomplete data contract was created");
                stores++;
            } else if (returndata.length > 0) {
                assertEq(returndata, abi.encodeWithSelector(CodeStoreLib.CodeStoreFailed.selector), "wrong error");
                reverts++;
            }
        }
        assertGt(stores, 10, "too few gas limits were sufficient");
        assertGt(reverts, 1, "no gas limit was too low");
    }

    function test_RevertWhen_LengthDoesNotFitTwoBytes() external {
        uint256[3] memory lengths = [uint256(2048), 2049, 4096];
        for (uint256 i = 0; i < lengths.length; i++) {
            uint256[] memory words = _words(lengths[i]);
            vm.expectRevert(CodeStoreLib.CodeStoreFailed.selector);
            harness.write(words);
        }
    }

    function test_Store_WhenCalled() external {
        (bool success, bytes memory returndata) = harness.write(_words(5)).call("anything");
        assertTrue(success, "calling a data contract reverted");
        assertEq(returndata, "", "calling a data contract returned data");
    }

    function test_AsAddresses() external view {
        uint256[] memory words = new uint256[](3);
        (words[0], words[1], words[2]) = (0, type(uint160).max, uint160(agent));
        address[] memory addresses = harness.asAddresses(words);
        assertEq(abi.encode(addresses), abi.encode(words), "addresses differ from the words");
    }
}
