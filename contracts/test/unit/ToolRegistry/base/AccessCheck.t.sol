// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";

/// @dev Tests that both `hasAccess` and `tryHasAccess` must pass. The tests of each function inherit this contract.
abstract contract AccessCheckTest is BaseTest {
    string private constant DATA = "data with a length of 32 bytes..";

    function _selector() internal pure virtual returns (bytes4);

    /// @dev The return data of a granted check.
    function _grantedReturn() internal pure virtual returns (bytes memory);

    function test_RevertWhen_AccountHasHighBits() external {
        _register(address(0));
        _register(address(grantingPredicate));
        for (uint256 bit = 160; bit < 256; bit++) {
            for (uint256 toolId = 1; toolId <= 2; toolId++) {
                _assertBareRevert(eve, _encoded(toolId, uint256(uint160(agent)) | 2 ** bit, 0x60, 0, ""));
                _assertBareRevert(eve, _encoded(toolId, 2 ** bit, 0x60, 0, ""));
            }
        }
    }

    function test_RevertWhen_DataIsOutOfRange() external {
        _register(address(0));
        _register(address(grantingPredicate));
        uint256[6] memory numbers = [uint256(33), 0xc4, 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < numbers.length; i++) {
            for (uint256 toolId = 1; toolId <= 2; toolId++) {
                if (i > 0) _assertBareRevert(eve, _encoded(toolId, 1, numbers[i], 32, bytes(DATA)));
                _assertBareRevert(eve, _encoded(toolId, 1, 0x60, numbers[i], bytes(DATA)));
            }
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        _register(address(grantingPredicate));
        _assertRevertsWhenTruncated(eve, _encoded(1, 1, 0x60, 4, "data"));
    }

    function test_WhenCalldataHasTrailingBytes() external {
        // C-11
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        _register(address(predicate));
        predicate.expect(address(registry), abi.encodeCall(IAccessPredicate.hasAccess, (1, agent, "data")));
        bytes memory trailing = abi.encodePacked(type(uint256).max, type(uint256).max);
        (bool success, bytes memory returndata) =
            _call(eve, _encoded(1, uint160(agent), 0x60, 4, bytes.concat("data", trailing)));
        assertTrue(success, "non-canonical calldata was rejected");
        assertEq(returndata, _grantedReturn(), "trailing bytes reached the predicate");
    }

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11, C-10
        _register(address(grantingPredicate));
        uint256[4] memory ids = [0, 2, 2 ** 64 + 1, 2 ** 255 + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            (bool success, bytes memory returndata) = _call(agent, _encoded(ids[i], uint160(agent), 0x60, 0, ""));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]));
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, C-10
        for (uint256 toolId = 1; toolId <= 2; toolId++) {
            _register(toolId == 1 ? address(0) : address(grantingPredicate));
            _deregister(toolId);
            (bool success, bytes memory returndata) = _call(creator, _encoded(toolId, uint160(agent), 0x60, 0, ""));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }

    function _encoded(uint256 toolId, uint256 account, uint256 offset, uint256 length, bytes memory data)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(_selector(), toolId, account, offset, length, data);
    }
}
