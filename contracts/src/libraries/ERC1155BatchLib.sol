// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "../interfaces/external/IERC1155.sol";
import { BoundedCallLib } from "./BoundedCallLib.sol";

/// @title ERC1155BatchLib
/// @notice Asks an ERC-1155 collection for one account's balances of many ids at once.
library ERC1155BatchLib {
    /// @dev Whether `account` holds any of the `count` ids that stand in `words` from index `from` on. `answered` is false
    ///      if the collection, which must have code, did not give exactly that many balances.
    function holdsAny(
        address collection,
        uint256 stipend,
        address account,
        uint256[] memory words,
        uint256 from,
        uint256 count
    ) internal view returns (bool answered, bool holds) {
        uint256[] memory balances;
        bytes memory question = _question(account, words, from, count);
        (answered, balances) = BoundedCallLib.askArray(collection, stipend, question, count);
        assembly ("memory-safe") {
            let at := add(balances, 0x20)
            let end := add(at, shl(5, count))
            let any := 0
            for { } lt(at, end) { at := add(at, 0x20) } { any := or(any, mload(at)) }
            holds := and(answered, iszero(iszero(any)))
        }
    }

    /// @dev abi.encodeCall(IERC1155.balanceOfBatch, (account repeated, ids)), with the ids copied as they stand.
    function _question(address account, uint256[] memory words, uint256 from, uint256 count)
        private
        pure
        returns (bytes memory question)
    {
        bytes4 selector = IERC1155.balanceOfBatch.selector;
        assembly ("memory-safe") {
            question := mload(0x40)
            let size := add(0x84, shl(6, count)) // selector, two offsets, two lengths, two arrays
            mstore(question, size)
            mstore(add(question, 0x20), selector)
            let at := add(question, 0x24)
            mstore(at, 0x40)
            mstore(add(at, 0x20), add(0x60, shl(5, count)))
            mstore(add(at, 0x40), count)
            at := add(at, 0x60)
            let end := add(at, shl(5, count))
            for { } lt(at, end) { at := add(at, 0x20) } { mstore(at, account) }
            mstore(at, count)
            mcopy(add(at, 0x20), add(add(words, 0x20), shl(5, from)), shl(5, count))
            mstore(0x40, and(add(add(question, size), 0x3f), not(0x1f)))
        }
    }
}
