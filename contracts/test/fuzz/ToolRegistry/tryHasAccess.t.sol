// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";

contract TryHasAccessFuzzTest is BaseTest {
    PresetResponsePredicate private preset;
    uint256 private toolId;

    function setUp() public override {
        super.setUp();
        preset = new PresetResponsePredicate();
        toolId = _register(address(preset));
    }

    function testFuzz_DecodesReturnDataStrictly(bool success, bytes calldata returndata) external {
        // C-05, C-06, C-08, C-09
        vm.assume(returndata.length < 400);
        _assertResult(success, returndata);
    }

    function testFuzz_DecodesValueStrictly(bool success, uint256 word, uint8 shift) external {
        // C-03, C-04, C-08, C-09
        _assertResult(success, abi.encode(word));
        _assertResult(success, abi.encode(word >> shift));
        _assertResult(success, abi.encode(word & 1));
        _assertResult(success, abi.encode(1 | uint256(1) << shift));
    }

    function testFuzz_DecodesLengthStrictly(bool success, uint256 length, uint256 word) external {
        // C-05, C-08
        length = bound(length, 0, 100);
        bytes memory returndata = abi.encodePacked(word & 1, new bytes(100));
        assembly ("memory-safe") {
            mstore(returndata, length)
        }
        _assertResult(success, returndata);
    }

    function testFuzz_ForwardsArguments(uint256 earlier, address account, bytes calldata data, address caller)
        external
    {
        // C-11
        earlier = bound(earlier, 0, 3);
        for (uint256 i = 0; i < earlier; i++) {
            _register(address(0));
        }
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        uint256 expectingTool = _register(address(predicate));
        predicate.expect(address(registry), abi.encodeCall(IAccessPredicate.hasAccess, (expectingTool, account, data)));
        vm.prank(caller);
        (bool ok, bool granted) = registry.tryHasAccess(expectingTool, account, data);
        assertTrue(ok && granted, "the call arrived modified");
    }

    function testFuzz_OpenToolsGrantEveryone(address account, bytes calldata data) external {
        // C-01
        assertAccess(registry, _register(address(0)), account, data, true, true);
    }

    function testFuzz_NeverGrantsWhenGasIsLow(uint256 gasLimit, bool grants) external {
        // C-08
        gasLimit = bound(gasLimit, 0, 60_000);
        preset.setHasAccess(true, abi.encode(grants));
        ContractAccount caller = new ContractAccount();
        (bool success, bytes memory returndata,) =
            caller.execute(address(registry), gasLimit, abi.encodeCall(registry.tryHasAccess, (toolId, agent, "")));
        if (!success) return;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        assertTrue(ok || !granted, "(false, true)");
        assertTrue(grants || !granted, "low gas turned a denial into a grant");
    }

    function _assertResult(bool success, bytes memory returndata) private {
        preset.setHasAccess(success, returndata);
        bool isTrue = success && keccak256(returndata) == keccak256(abi.encode(true));
        bool isFalse = success && keccak256(returndata) == keccak256(abi.encode(false));
        assertAccess(registry, toolId, agent, "", isTrue || isFalse, isTrue);
    }
}
