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
///      `perTerm(bytes[])` data with another number of entries than terms, or with an invalid encoding, reverts.
library TermCallLib {
    /// @dev Returns the call data for each term packed by `TermLib`, or empty bytes for a term that must not be called.
    ///      Terms with the same call data share its memory.
    function encode(uint256 toolId, address account, bytes calldata data, uint256[] memory terms)
        internal
        pure
        returns (bytes[] memory calls)
    {
        calls = new bytes[](terms.length);
        bytes[] memory entries = _perTermEntries(data, terms.length);
        bytes memory shared = entries.length == 0 ? _encodeCall(toolId, account, data) : bytes("");
        bytes memory negated = "";
        bool skipDataReaders = data.length == 4 && bytes4(data) == ConstantsLib.NEGATED_TERM;
        for (uint256 i = 0; i < terms.length; i++) {
            if (terms[i] & TermLib.NEGATE_FLAG != 0) {
                if (negated.length == 0) {
                    negated = _encodeCall(toolId, account, abi.encodePacked(ConstantsLib.NEGATED_TERM));
                }
                calls[i] = negated;
            } else if (!skipDataReaders || terms[i] & TermLib.READS_DATA_FLAG == 0) {
                calls[i] = entries.length == 0 ? shared : _encodeCall(toolId, account, entries[i]);
            }
        }
    }

    /// @dev Returns one entry per term if `data` is `perTerm(bytes[])`, and no entries otherwise.
    function _perTermEntries(bytes calldata data, uint256 count) private pure returns (bytes[] memory entries) {
        if (data.length < 4 || bytes4(data) != ConstantsLib.PER_TERM_DATA) return entries;
        entries = abi.decode(data[4:], (bytes[]));
        if (entries.length != count) revert ICompositePredicate.WrongNumberOfEntries(entries.length, count);
    }

    function _encodeCall(uint256 toolId, address account, bytes memory data) private pure returns (bytes memory) {
        return abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
    }
}
