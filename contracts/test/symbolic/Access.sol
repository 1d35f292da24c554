// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { CallResult } from "test/symbolic/AnyContract.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

/// @custom:halmos --array-lengths data={0,1,31,32,33,64}
contract Access is SymbolicTest {
    function check_FailedPredicatesNeverGrantAccess(uint256 toolId, address account, bytes calldata data) public view {
        _assumePredicateIsNotTheRegistry(toolId);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        if (!success) return;
        assert(ok < 2 && granted < 2);
        assert(ok == 1 || granted == 0);
    }

    function check_OnlyStrictBoolsAreValidResults(uint64 toolId, address account, bytes calldata data) public view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && header & GATED != 0);
        vm.assume(address(uint160(header)) == address(anyContract));
        CallResult memory result = anyContract.resultOf(IAccessPredicate.hasAccess.selector);

        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success);
        assert((ok == 1) == (result.succeeds && result.size == 32 && result.first < 2));
        assert((granted == 1) == (ok == 1 && result.first == 1));
    }

    function check_HasAccessIsOkAndGranted(uint256 toolId, address account, bytes calldata data) public view {
        _assumePredicateIsNotTheRegistry(toolId);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        (bool alsoSuccess, bytes memory returndata) =
            address(registry).staticcall(abi.encodeCall(registry.hasAccess, (toolId, account, data)));
        assert(success == alsoSuccess);
        if (!success) return;
        assert(returndata.length == 32);
        assert(abi.decode(returndata, (uint256)) == (ok == 1 && granted == 1 ? 1 : 0));
    }

    function check_OpenToolsGrantAccessToEveryAccount(uint64 toolId, address account, bytes calldata data) public view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & LIVE != 0 && header & GATED == 0);
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success && ok == 1 && granted == 1);
    }

    function check_ThePredicateReceivesTheExactCallData(uint64 toolId, address account, bytes calldata data) public {
        ExactCallPredicate exactCall =
            new ExactCallPredicate(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
        _store(_slot(toolId, 0), LIVE | GATED | uint160(address(exactCall)));
        (bool success, uint256 ok, uint256 granted) = _tryHasAccess(toolId, account, data);
        assert(success && ok == 1 && granted == 1);
    }

    /// @dev A predicate that is the registry itself recurses until the gas is used up. Its results are a subset of
    ///      those of `AnyContract`.
    function _assumePredicateIsNotTheRegistry(uint256 toolId) private view {
        uint256 header = _load(_slot(toolId, 0));
        vm.assume(header & GATED == 0 || address(uint160(header)) != address(registry));
    }

    function _tryHasAccess(uint256 toolId, address account, bytes calldata data)
        private
        view
        returns (bool success, uint256 ok, uint256 granted)
    {
        bytes memory returndata;
        (success, returndata) =
            address(registry).staticcall(abi.encodeCall(registry.tryHasAccess, (toolId, account, data)));
        if (!success) return (false, 0, 0);
        assert(returndata.length == 64);
        (ok, granted) = abi.decode(returndata, (uint256, uint256));
    }
}

/// @dev Returns true for exactly one call data and false for any other.
contract ExactCallPredicate {
    bytes32 private immutable EXPECTED;

    constructor(bytes memory callData) {
        EXPECTED = keccak256(callData);
    }

    fallback(bytes calldata callData) external returns (bytes memory) {
        return abi.encode(keccak256(callData) == EXPECTED);
    }
}
