// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";

/// @dev Answers any question in the shape it expects: `balanceOfBatch` with as many words as there are ids, everything
///      else with one.
abstract contract AnsweringToken {
    function _answer(uint256 word) internal pure {
        if (msg.sig != IERC1155.balanceOfBatch.selector) {
            assembly ("memory-safe") {
                mstore(0x00, word)
                return(0x00, 0x20)
            }
        }
        assembly ("memory-safe") {
            let count := calldataload(add(0x04, calldataload(0x24)))
            let answer := mload(0x40)
            let end := add(add(answer, 0x40), shl(5, count))
            mstore(answer, 0x20)
            mstore(add(answer, 0x20), count)
            for { let at := add(answer, 0x40) } lt(at, end) { at := add(at, 0x20) } { mstore(at, word) }
            return(answer, sub(end, answer))
        }
    }
}
