// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { Answer } from "test/symbolic/AnyContract.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

/// @custom:halmos --array-lengths data={0,1,31,32,33,64}
contract Access is SymbolicTest {
    function check_NoAnswerIsNeverAYes(uint256 toolId, address account, bytes calldata data) public view {
        _assumeAnotherPredicateThanTheRegistry(toolId);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        if (!success) return;
        assert(ok < 2 && granted < 2);
        assert(ok == 1 || granted == 0);
    }

    function check_OnlyZeroAndOneOfOneWordAreAnswers(uint64 toolId, address account, bytes calldata data) public view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && header & GATED != 0);
        vm.assume(address(uint160(header)) == address(anyone));
        Answer memory answer = anyone.answerTo(IAccessPredicate.hasAccess.selector);

        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success);
        assert((ok == 1) == (answer.succeeds && answer.size == 32 && answer.first < 2));
        assert((granted == 1) == (ok == 1 && answer.first == 1));
    }

    function check_HasAccessIsOkAndGranted(uint256 toolId, address account, bytes calldata data) public view {
        _assumeAnotherPredicateThanTheRegistry(toolId);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        (bool alsoSuccess, bytes memory answer) =
            address(registry).staticcall(abi.encodeCall(registry.hasAccess, (toolId, account, data)));
        assert(success == alsoSuccess);
        if (!success) return;
        assert(answer.length == 32);
        assert(abi.decode(answer, (uint256)) == (ok == 1 && granted == 1 ? 1 : 0));
    }

    function check_OpenToolsLetEveryoneIn(uint64 toolId, address account, bytes calldata data) public view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && header & GATED == 0);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success && ok == 1 && granted == 1);
    }

    function check_ThePredicateIsAskedTheCallersQuestion(uint64 toolId, address account, bytes calldata data) public {
        Listener listener = new Listener(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
        _store(_slot(toolId, 0), LIVE | GATED | uint160(address(listener)));
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success && ok == 1 && granted == 1);
    }

    /// @dev Whether a predicate that is the registry itself recurses until the gas is gone is no matter of its answers, which
    ///      are among those of `AnyContract`.
    function _assumeAnotherPredicateThanTheRegistry(uint256 toolId) private view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
    }

    function _tryHasAccess(uint256 toolId, address account, bytes calldata data)
        private
        view
        returns (bool success, uint256 ok, uint256 granted)
    {
        bytes memory answer;
        (success, answer) = address(registry).staticcall(abi.encodeCall(registry.tryHasAccess, (toolId, account, data)));
        if (!success) return (false, 0, 0);
        assert(answer.length == 64);
        (ok, granted) = abi.decode(answer, (uint256, uint256));
    }
}

/// @dev Says yes to exactly one question.
contract Listener {
    bytes32 private immutable EXPECTED;

    constructor(bytes memory question) {
        EXPECTED = keccak256(question);
    }

    fallback(bytes calldata question) external returns (bytes memory) {
        return abi.encode(keccak256(question) == EXPECTED);
    }
}
