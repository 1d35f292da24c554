// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";

contract TryHasAccessFuzzTest is BaseTest {
    PresetResponsePredicate private reciting;
    uint256 private toolId;

    function setUp() public override {
        super.setUp();
        reciting = new PresetResponsePredicate();
        toolId = _register(address(reciting));
    }

    function testFuzz_ReadsAnyAnswerStrictly(bool success, bytes calldata answer) external {
        // C-05, C-06, C-08, C-09
        vm.assume(answer.length < 400);
        _assertAnswer(success, answer);
    }

    function testFuzz_ReadsAnyWordStrictly(bool success, uint256 word, uint8 shift) external {
        // C-03, C-04, C-08, C-09
        _assertAnswer(success, abi.encode(word));
        _assertAnswer(success, abi.encode(word >> shift));
        _assertAnswer(success, abi.encode(word & 1));
        _assertAnswer(success, abi.encode(1 | uint256(1) << shift));
    }

    function testFuzz_ReadsAnyLengthStrictly(bool success, uint256 length, uint256 word) external {
        // C-05, C-08
        length = bound(length, 0, 100);
        bytes memory answer = abi.encodePacked(word & 1, new bytes(100));
        assembly ("memory-safe") {
            mstore(answer, length)
        }
        _assertAnswer(success, answer);
    }

    function testFuzz_HandsOnTheQuestion(uint256 earlier, address account, bytes calldata data, address caller)
        external
    {
        // C-11
        earlier = bound(earlier, 0, 3);
        for (uint256 i = 0; i < earlier; i++) {
            _register(address(0));
        }
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        uint256 echoed = _register(address(predicate));
        predicate.expect(address(registry), abi.encodeCall(IAccessPredicate.hasAccess, (echoed, account, data)));
        vm.prank(caller);
        (bool ok, bool granted) = registry.tryHasAccess(echoed, account, data);
        assertTrue(ok && granted, "the question arrived changed");
    }

    function testFuzz_OpenToolsLetEveryoneIn(address account, bytes calldata data) external {
        // C-01
        assertAccess(registry, _register(address(0)), account, data, true, true);
    }

    function testFuzz_NeverGrantsForWantOfGas(uint256 gasLimit, bool answer) external {
        // C-08
        gasLimit = bound(gasLimit, 0, 60_000);
        reciting.setHasAccess(true, abi.encode(answer));
        ContractAccount caller = new ContractAccount();
        (bool success, bytes memory returndata,) =
            caller.execute(address(registry), gasLimit, abi.encodeCall(registry.tryHasAccess, (toolId, agent, "")));
        if (!success) return;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        assertTrue(ok || !granted, "(false, true)");
        assertTrue(answer || !granted, "too little gas turned a no into a yes");
    }

    function _assertAnswer(bool success, bytes memory answer) private {
        reciting.setHasAccess(success, answer);
        bool isTrue = success && keccak256(answer) == keccak256(abi.encode(true));
        bool isFalse = success && keccak256(answer) == keccak256(abi.encode(false));
        assertAccess(registry, toolId, agent, "", isTrue || isFalse, isTrue);
    }
}
