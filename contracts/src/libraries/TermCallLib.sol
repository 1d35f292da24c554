// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "../interfaces/IAccessPredicate.sol";
import { ICompositePredicate } from "../interfaces/predicates/ICompositePredicate.sol";
import { ConstantsLib } from "./ConstantsLib.sol";
import { TermLib } from "./TermLib.sol";

/// @title TermCallLib
/// @notice Encodes the calls of a composite to its terms.
/// @dev The `data` that term i receives depends on its kind and on the `data` of the composite:
///
///      | term i               | `perTerm(bytes[] entries)` | `NEGATED_TERM`         | any other `data` |
///      |----------------------|----------------------------|------------------------|------------------|
///      | plain                | entries[i]                 | `NEGATED_TERM`         | `data`           |
///      | plain, reads data    | entries[i]                 | not called: unknown    | `data`           |
///      | negated              | `NEGATED_TERM`             | `NEGATED_TERM`         | `NEGATED_TERM`   |
///      | negated, reads data  | rejected by `setComposition`                                            |
///
///      `perTerm(bytes[])` data with another number of entries than terms, or with an invalid encoding, reverts. The
///      entries of negated terms are not read.
///
///      | bytes of `perTerm(bytes[])` data | content                                                    |
///      |----------------------------------|------------------------------------------------------------|
///      | 0 to 3                           | selector                                                   |
///      | 4 to 35                          | offset of the array, 0x20                                  |
///      | 36 to 67                         | number of entries                                          |
///      | 68 and following                 | list: the offset of each entry in the list, then the entries |
library TermCallLib {
    uint256 private constant LIST_AT = 68;

    /// @dev Returns the call data for each term packed by `TermLib`, or empty bytes for a term that must not be called.
    ///      Terms with the same call data share its memory.
    function encode(uint256 toolId, address account, bytes calldata data, uint256[] memory terms)
        internal
        pure
        returns (bytes[] memory calls)
    {
        calls = new bytes[](terms.length);
        bool isPerTerm = data.length >= 4 && bytes4(data) == ConstantsLib.PER_TERM_DATA;
        bool skipDataReaders = data.length == 4 && bytes4(data) == ConstantsLib.NEGATED_TERM;
        bytes memory shared = "";
        if (isPerTerm) data = _listOf(data, terms.length);
        else shared = _encodeCall(toolId, account, data);
        bytes memory negated = "";
        for (uint256 i = 0; i < terms.length; i++) {
            if (terms[i] & TermLib.NEGATE_FLAG != 0) {
                if (negated.length == 0) {
                    bytes memory marker = abi.encodePacked(ConstantsLib.NEGATED_TERM);
                    negated = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, marker));
                }
                calls[i] = negated;
            } else if (!skipDataReaders || terms[i] & TermLib.READS_DATA_FLAG == 0) {
                calls[i] = isPerTerm ? _encodeCall(toolId, account, _entryOf(data, i)) : shared;
            }
        }
    }

    /// @dev Returns the list of `perTerm(bytes[])` data with `count` entries.
    function _listOf(bytes calldata data, uint256 count) private pure returns (bytes calldata) {
        if (data.length < LIST_AT || uint256(bytes32(data[4:])) != 0x20) revert ICompositePredicate.InvalidEntries();
        uint256 length = uint256(bytes32(data[36:]));
        if (length != count) revert ICompositePredicate.WrongNumberOfEntries(length, count);
        if (data.length < LIST_AT + 32 * count) revert ICompositePredicate.InvalidEntries();
        return data[LIST_AT:];
    }

    /// @dev Returns entry `index` of a list. The list must contain its offset.
    function _entryOf(bytes calldata list, uint256 index) private pure returns (bytes calldata entry) {
        bool isValid;
        // Equivalent to:
        //     uint256 offset = uint256(bytes32(list[32 * index:]));
        //     uint256 length = uint256(bytes32(list[offset:]));
        //     entry = list[offset + 32:offset + 32 + length];
        // where a slice beyond the end of the list is not valid.
        assembly ("memory-safe") {
            let offset := calldataload(add(list.offset, shl(5, index)))
            let start := add(offset, 0x20)
            entry.offset := add(list.offset, start)
            entry.length := calldataload(add(list.offset, offset))
            isValid := and(gt(start, offset), iszero(gt(start, list.length)))
            isValid := and(isValid, iszero(gt(entry.length, sub(list.length, start))))
        }
        if (!isValid) revert ICompositePredicate.InvalidEntries();
    }

    function _encodeCall(uint256 toolId, address account, bytes calldata data)
        private
        pure
        returns (bytes memory callData)
    {
        bytes4 selector = IAccessPredicate.hasAccess.selector;
        // Equivalent to:
        //     callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
        assembly ("memory-safe") {
            callData := mload(0x40)
            mstore(add(callData, 0x20), selector)
            mstore(add(callData, 0x24), toolId)
            mstore(add(callData, 0x44), account)
            mstore(add(callData, 0x64), 0x60) // offset of data
            mstore(add(callData, 0x84), data.length)
            calldatacopy(add(callData, 0xa4), data.offset, data.length)
            mstore(add(add(callData, 0xa4), data.length), 0)
            let size := add(0x84, and(add(data.length, 0x1f), not(0x1f)))
            mstore(callData, size)
            mstore(0x40, and(add(add(callData, size), 0x3f), not(0x1f)))
        }
    }
}
