// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "../interfaces/predicates/IStipendPredicate.sol";
import { BoundedCallLib } from "./BoundedCallLib.sol";

/// @title StipendLib
/// @notice The stipends of a tool, and calls with them.
/// @dev A tool has one stipend chosen by its creator, or two default ones: the first is sufficient for the tokens of
///      OpenZeppelin behind all common proxies at Ethereum's gas prices, and small enough for a composite of eight terms
///      with one ERC-721 collection or one ERC-20 token each. A call that fails with it is repeated with the second one,
///      which is sufficient at higher prices.
///
///      Every call is made with a stipend that depends only on the stored configuration and on earlier results, or the
///      library reverts with `NotEnoughGas`. So the caller's gas limit can make the result unknown, but not change it.
library StipendLib {
    /// @dev Default stipend of a call. An OpenZeppelin 5 token behind a `BeaconProxy` needs 10,447 on Ethereum: `make gas`.
    uint256 internal constant FIRST = 12_000;

    /// @dev Default gas for repeated calls, divided among the calls of an access check.
    uint256 internal constant RETRY_BUDGET = 140_000;

    /// @dev Minimum stipend chosen by a creator: a cold storage read (2,100) and the dispatch of a call.
    uint256 internal constant MIN = 2_300;

    /// @dev Maximum gas of all calls of an access check. The rest of the registry's limit of 200,000 gas covers reading
    ///      the configuration.
    uint256 internal constant MAX_GAS = 190_000;

    /// @dev Upper bound for the gas a predicate uses per call, besides the call: the cold account access (2,600) and
    ///      the loop.
    uint256 internal constant OVERHEAD_PER_CALL = 3_400;

    /// @dev Upper bound for the gas a predicate uses to load its configuration and to return.
    uint256 internal constant OVERHEAD = 3_300;

    /// @dev Gas for reading a data contract (`CodeStoreLib`) with a cold account access.
    uint256 internal constant STORE_GAS = 2_700;

    /// @dev Gas of a call to a plain token: one cold storage read (2,100) and the dispatch.
    uint256 private constant PLAIN_CALL_GAS = 2_900;

    /// @dev Returns the stipends of a tool whose access check makes up to `calls` calls. `chosen` is the stipend chosen
    ///      by the creator, or zero.
    function stipends(uint256 chosen, uint256 calls) internal pure returns (uint256 first, uint256 retry) {
        return chosen == 0 ? (FIRST, RETRY_BUDGET / calls) : (chosen, chosen);
    }

    /// @dev Calls a contract as `BoundedCallLib.tryStaticCallWord` does. If the call fails with the stipend `first`, it is
    ///      repeated with `retry`, if that is larger. `target` must have code.
    ///
    ///      A call that reverts with an error and uses less than 15/16 of its stipend is not repeated: it did not run out of
    ///      gas. If a call inside it had, it would have used 63/64 of the gas left at that point, also through proxies.
    function tryCallWord(address target, bytes memory callData, uint256 first, uint256 retry)
        internal
        view
        returns (bool ok, uint256 word)
    {
        uint256 before = gasleft();
        (ok, word) = BoundedCallLib.tryStaticCallWord(target, first, callData);
        if (ok || first >= retry || isError(word) && before - gasleft() < first - first / 16) return (ok, word);
        return BoundedCallLib.tryStaticCallWord(target, retry, callData);
    }

    /// @dev Returns whether revert data of this length is an error: at least a selector. A call that runs out of gas has no
    ///      revert data.
    function isError(uint256 length) internal pure returns (bool) {
        return length >= 4;
    }

    /// @dev `tryCallWord` for a function with one argument. If `ok` is false, `word` has no meaning.
    function tryCallGetter(address target, bytes4 selector, uint256 argument, uint256 first, uint256 retry)
        internal
        view
        returns (bool ok, uint256 word)
    {
        (ok, word) = BoundedCallLib.tryStaticCallGetter(target, first, selector, argument);
        if (!ok && first < retry) return tryCallGetter(target, selector, argument, retry, retry);
    }

    /// @dev Reverts unless `stipend` is zero (default) or `calls` calls with it fit in `MAX_GAS`. `calls` must not be
    ///      zero.
    function requireValid(uint256 stipend, uint256 calls) internal pure {
        if (stipend == 0) return;
        uint256 gasPerCall = MAX_GAS / calls;
        uint256 max = BoundedCallLib.maxStipend(gasPerCall - OVERHEAD_PER_CALL);
        if (stipend < MIN || stipend > max) revert IStipendPredicate.InvalidStipend(stipend, MIN, max);
    }

    /// @dev Returns the gas with which an access check of `calls` plain tokens completes.
    function gasNeeded(uint256 first, uint256 calls) internal pure returns (uint256) {
        uint256 needed = BoundedCallLib.gasRequired(first) + OVERHEAD_PER_CALL + OVERHEAD;
        if (calls > 1) needed += STORE_GAS + (calls - 1) * (OVERHEAD_PER_CALL + PLAIN_CALL_GAS);
        return needed;
    }
}
