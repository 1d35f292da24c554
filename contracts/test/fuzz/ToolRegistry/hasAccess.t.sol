// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";

contract HasAccessFuzzTest is BaseTest {
    function testFuzz_IsOkAndGranted(bool success, uint256 word, uint256 length, address account) external {
        // C-09
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        bytes memory returndata = abi.encodePacked(word & 3, new bytes(64));
        length = length % 4 == 0 ? length % 97 : 32;
        assembly ("memory-safe") {
            mstore(returndata, length)
        }
        predicate.setHasAccess(success, returndata);
        (bool ok, bool granted) = registry.tryHasAccess(toolId, account, "");
        assertEq(registry.hasAccess(toolId, account, ""), ok && granted, "hasAccess differs from ok && granted");
        assertEq(ok && granted, success && length == 32 && word & 3 == 1, "granted without ok");
    }

    function testFuzz_RevertWhen_CalldataIsMalformed(uint256 account, uint256 offset, uint256 length) external {
        uint256 toolId = _register(address(grantingPredicate));
        account = account % 2 == 0 ? account : account % 2 ** 160;
        offset = offset % 2 == 0 ? 0x60 : offset;
        length = length % 2 == 0 ? length % 65 : length;
        bytes memory arguments = abi.encodePacked(toolId, account, offset, length, new bytes(64));
        bool fits = account >> 160 == 0 && offset == 0x60 && length <= 64;
        bytes4[2] memory selectors = [IToolRegistry.hasAccess.selector, IToolRegistry.tryHasAccess.selector];
        for (uint256 i = 0; i < selectors.length; i++) {
            (bool success, bytes memory returndata) = _call(agent, bytes.concat(selectors[i], arguments));
            if (fits) assertTrue(success, "valid calldata was rejected");
            else if (account >> 160 != 0 || offset > 0xa0) assertRevert(success, returndata, "");
        }
    }
}
