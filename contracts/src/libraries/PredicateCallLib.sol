// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "../interfaces/IAccessPredicate.sol";
import { ConstantsLib } from "./ConstantsLib.sol";

/// @title PredicateCallLib
/// @notice Asks a predicate, whatever it is, and reads its answer strictly.
library PredicateCallLib {
    /// @dev `(true, answer)` if the predicate returned exactly one word that is a bool, `(false, false)` otherwise. Never
    ///      reverts because of the predicate.
    function tryHasAccess(address predicate, uint256 toolId, address account, bytes calldata data)
        internal
        view
        returns (bool ok, bool granted)
    {
        bytes4 selector = IAccessPredicate.hasAccess.selector;
        uint256 gasCap = ConstantsLib.PREDICATE_GAS_CAP;
        assembly ("memory-safe") {
            // abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)) behind the memory in use.
            let question := mload(0x40)
            mstore(question, selector)
            mstore(add(question, 0x04), toolId)
            mstore(add(question, 0x24), account)
            mstore(add(question, 0x44), 0x60)
            mstore(add(question, 0x64), data.length)
            calldatacopy(add(question, 0x84), data.offset, data.length)
            mstore(add(add(question, 0x84), data.length), 0)
            let size := add(0x84, and(add(data.length, 0x1f), not(0x1f)))

            // Copy one word and ask returndatasize(): an oversize answer is seen but never paid for.
            let success := staticcall(gasCap, predicate, question, size, 0x00, 0x20)
            let word := mload(0x00)
            ok := and(and(success, eq(returndatasize(), 0x20)), lt(word, 2))
            granted := and(ok, word)
        }
    }
}
