// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";

contract GetToolConfigFuzzTest is BaseTest {
    uint256 private constant TOOLS = 5;

    function setUp() public override {
        super.setUp();
        for (uint256 toolId = 1; toolId <= TOOLS; toolId++) {
            _register(_textOf(2048), toolId % 2 == 0 ? address(0) : address(grantingPredicate));
        }
        _deregister(TOOLS);
    }

    function testFuzz_RevertGiven_ToolDoesNotExist(uint256 toolId) external {
        // A-11
        toolId = bound(toolId, TOOLS + 1, type(uint256).max);
        _assertNotFoundInEveryFunction(toolId);
    }

    function testFuzz_RevertGiven_IdAliasesToolSlot(uint256 toolId, uint256 bit) external {
        // A-11
        toolId = bound(toolId, 0, TOOLS + 1);
        bit = bound(bit, 7, 255);
        _assertNotFoundInEveryFunction(toolId | 2 ** bit);
        _assertNotFoundInEveryFunction((toolId | 2 ** bit) >> 7 | 1 << 248);
        _assertNotFoundInEveryFunction(type(uint256).max << bit | toolId);
    }

    function test_RevertGiven_IdIsAtBoundary() external {
        // A-11
        uint256[14] memory ids = [
            0,
            TOOLS + 1,
            2 ** 64 - 1,
            2 ** 64,
            2 ** 64 + 1,
            2 ** 64 + TOOLS,
            2 ** 71,
            2 ** 71 >> 7,
            2 ** 71 + 1,
            2 ** 249,
            2 ** 249 + 1,
            2 ** 255,
            2 ** 255 + 1,
            type(uint256).max
        ];
        for (uint256 i = 0; i < ids.length; i++) {
            _assertNotFoundInEveryFunction(ids[i]);
        }
    }

    function _assertNotFoundInEveryFunction(uint256 toolId) private {
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId);
        bytes[6] memory calls = _callsOn(toolId);
        for (uint256 i = 0; i < calls.length; i++) {
            vm.record();
            (bool success, bytes memory returndata) = _call(creator, calls[i]);
            assertRevert(success, returndata, expected);
            assertNoWrites(address(registry));
        }
    }
}
