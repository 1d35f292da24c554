// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ConstantsLib } from "./ConstantsLib.sol";
import { StrictBoolLib } from "./StrictBoolLib.sol";

/// @title BoundedCallLib
/// @notice Static calls to untrusted contracts with an exact stipend.
/// @dev A call either receives its full stipend or is not made, in which case the library reverts with `NotEnoughGas`.
///      So the gas limit of the transaction cannot change the result of a call, and a contract that burns its stipend
///      does not reduce the gas of later calls. Callers must check `target.code.length` first, which also warms the
///      account.
library BoundedCallLib {
    /// @notice Too little gas is left to forward the full stipend of the next call.
    /// @param needed The gas that would have been sufficient.
    error NotEnoughGas(uint256 needed);

    /// @dev Upper bound for the gas used between the check and the call, including the call to a warm account (100).
    uint256 private constant MARGIN = 500;

    /// @dev An account with an EIP-7702 delegation has 23 bytes of code. Calling it costs up to `DELEGATION_GAS` more.
    uint256 private constant DELEGATION_BYTES = 23;

    /// @dev Returns the gas that must be left to forward `stipend` under the 63/64 rule.
    function gasRequired(uint256 stipend) internal pure returns (uint256) {
        unchecked {
            return stipend + stipend / 63 + MARGIN;
        }
    }

    /// @dev Returns the largest stipend for which `gasRequired` is at most `available`.
    function maxStipend(uint256 available) internal pure returns (uint256) {
        return (available - MARGIN) * 63 / 64;
    }

    /// @dev Reverts unless the full stipend can be forwarded to `target`.
    function requireGas(address target, uint256 stipend) internal view {
        uint256 left = gasleft();
        uint256 needed = gasRequired(stipend);
        unchecked {
            if (left >= needed + ConstantsLib.DELEGATION_GAS) return;
            if (target.code.length == DELEGATION_BYTES) needed += ConstantsLib.DELEGATION_GAS;
        }
        if (left < needed) revert NotEnoughGas(needed);
    }

    /// @dev Calls a contract and returns the first 32 bytes of its return data. `ok` is false if the call reverted, ran
    ///      out of gas or returned less than 32 bytes. `word` is then the length of the revert data: zero if the call
    ///      ran out of gas or did not revert. `target` must have code.
    function tryStaticCallWord(address target, uint256 stipend, bytes memory callData)
        internal
        view
        returns (bool ok, uint256 word)
    {
        requireGas(target, stipend);
        // Equivalent to:
        //     (bool success, bytes memory returndata) = target.staticcall{ gas: stipend }(callData);
        //     ok = success && returndata.length >= 32;
        //     word = ok ? uint256(bytes32(returndata)) : success ? 0 : returndata.length;
        // Only 32 bytes of the return data are copied.
        assembly ("memory-safe") {
            let success := staticcall(stipend, target, add(callData, 0x20), mload(callData), 0x00, 0x20)
            ok := and(success, gt(returndatasize(), 0x1f))
            word := mload(0x00)
            if iszero(ok) { word := mul(iszero(success), returndatasize()) }
        }
    }

    /// @dev `tryStaticCallWord` for a function with one argument, without allocating memory. If `ok` is false, `word` has
    ///      no meaning.
    function tryStaticCallGetter(address target, uint256 stipend, bytes4 selector, uint256 argument)
        internal
        view
        returns (bool ok, uint256 word)
    {
        requireGas(target, stipend);
        // Equivalent to:
        //     (ok, word) = tryStaticCallWord(target, stipend, abi.encodeWithSelector(selector, argument));
        // The call data is written to the scratch space at 0x00 to 0x23.
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, argument)
            let success := staticcall(stipend, target, 0x00, 0x24, 0x00, 0x20)
            ok := and(success, gt(returndatasize(), 0x1f))
            word := mload(0x00)
        }
    }

    /// @dev Calls a contract and decodes its return data as a bool. Returns `(false, false)` unless the call returned
    ///      exactly 32 bytes that encode 0 or 1. `target` must have code.
    function tryStaticCallBool(address target, uint256 stipend, bytes memory callData)
        internal
        view
        returns (bool ok, bool value)
    {
        requireGas(target, stipend);
        bool success;
        // Equivalent to:
        //     (success,) = target.staticcall{ gas: stipend }(callData);
        // Copies the first 32 bytes of the return data to memory at 0x00.
        assembly ("memory-safe") {
            success := staticcall(stipend, target, add(callData, 0x20), mload(callData), 0x00, 0x20)
        }
        return StrictBoolLib.decode(success);
    }

    /// @dev Calls a contract and decodes its return data as `uint256[]`. `ok` is false if the call reverted, ran out of
    ///      gas, or did not return `abi.encode(uint256[])` with exactly `length` elements. Bytes after the array are
    ///      ignored. `target` must have code.
    ///
    ///      The return data is copied over a new array of `length + 1` elements and used in place:
    ///
    ///      | memory         | allocated as  | return data           | result        |
    ///      |----------------|---------------|-----------------------|---------------|
    ///      | words          | array length  | offset, must be 0x20  | not used      |
    ///      | words + 0x20   | element 0     | array length          | array length  |
    ///      | words + 0x40   | element 1     | element 0             | element 0     |
    ///      | …              | …             | …                     | …             |
    function tryStaticCallArray(address target, uint256 stipend, bytes memory callData, uint256 length)
        internal
        view
        returns (bool ok, uint256[] memory words)
    {
        words = new uint256[](length + 1);
        requireGas(target, stipend);
        // Equivalent to:
        //     (bool success, bytes memory returndata) = target.staticcall{ gas: stipend }(callData);
        //     (uint256 offset, uint256 arrayLength) = first two words of returndata;
        //     ok = success && returndata.length >= 64 + 32 * length && offset == 32 && arrayLength == length;
        //     words = abi.decode(returndata, (uint256[]));
        // Does not revert on malformed return data, and copies at most 64 + 32 * length bytes. The array length is
        // written again at the end, so the array stays within its memory even if `ok` is false.
        assembly ("memory-safe") {
            let size := add(0x40, shl(5, length))
            let success := staticcall(stipend, target, add(callData, 0x20), mload(callData), words, size)
            ok := and(success, iszero(lt(returndatasize(), size)))
            ok := and(ok, and(eq(mload(words), 0x20), eq(mload(add(words, 0x20)), length)))
            words := add(words, 0x20)
            mstore(words, length)
        }
    }
}
