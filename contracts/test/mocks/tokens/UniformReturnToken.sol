// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";

/// @dev Returns `value` in the shape the called function declares: `balanceOfBatch` returns one value per id, every
///      other function a single value.
abstract contract UniformReturnToken {
    function _return(uint256 value) internal pure {
        if (msg.sig != IERC1155.balanceOfBatch.selector) {
            assembly ("memory-safe") {
                mstore(0x00, value)
                return(0x00, 0x20)
            }
        }
        assembly ("memory-safe") {
            let count := calldataload(add(0x04, calldataload(0x24)))
            let ptr := mload(0x40)
            let end := add(add(ptr, 0x40), shl(5, count))
            mstore(ptr, 0x20)
            mstore(add(ptr, 0x20), count)
            for { let at := add(ptr, 0x40) } lt(at, end) { at := add(at, 0x20) } { mstore(at, value) }
            return(ptr, sub(end, ptr))
        }
    }
}
