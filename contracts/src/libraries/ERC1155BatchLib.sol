// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "../interfaces/external/IERC1155.sol";
import { BoundedCallLib } from "./BoundedCallLib.sol";

/// @title ERC1155BatchLib
/// @notice Checks the balances of one account for many token ids of an ERC-1155 collection in one call.
library ERC1155BatchLib {
    /// @dev Returns whether any of the `count` balances that `callData` queries (`encodeCall`) is not zero. `ok` is false
    ///      if the call failed or did not return exactly `count` balances. `collection` must have code.
    function holdsAny(address collection, uint256 stipend, bytes memory callData, uint256 count)
        internal
        view
        returns (bool ok, bool holds)
    {
        uint256[] memory balances;
        (ok, balances) = BoundedCallLib.tryStaticCallArray(collection, stipend, callData, count);
        // Equivalent to:
        //     holds = ok && (balances[0] | balances[1] | …) != 0;
        assembly ("memory-safe") {
            let at := add(balances, 0x20)
            let end := add(at, shl(5, count))
            let any := 0
            for { } lt(at, end) { at := add(at, 0x20) } { any := or(any, mload(at)) }
            holds := and(ok, iszero(iszero(any)))
        }
    }

    /// @dev Encodes the call to `balanceOfBatch` for one account and the token ids `words[start]` to
    ///      `words[start + count - 1]`.
    function encodeCall(address account, uint256[] memory words, uint256 start, uint256 count)
        internal
        pure
        returns (bytes memory callData)
    {
        bytes4 selector = IERC1155.balanceOfBatch.selector;
        // Equivalent to:
        //     callData = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, ids));
        // where accounts[i] = account and ids[i] = words[start + i] for every i < count.
        assembly ("memory-safe") {
            callData := mload(0x40)
            let size := add(0x84, shl(6, count)) // selector, two offsets, two lengths, two arrays
            mstore(callData, size)
            mstore(add(callData, 0x20), selector)
            let at := add(callData, 0x24)
            mstore(at, 0x40) // offset of accounts
            mstore(add(at, 0x20), add(0x60, shl(5, count))) // offset of ids
            mstore(add(at, 0x40), count)
            at := add(at, 0x60)
            let end := add(at, shl(5, count))
            for { } lt(at, end) { at := add(at, 0x20) } { mstore(at, account) }
            mstore(at, count)
            mcopy(add(at, 0x20), add(add(words, 0x20), shl(5, start)), shl(5, count))
            mstore(0x40, and(add(add(callData, size), 0x3f), not(0x1f)))
        }
    }
}
