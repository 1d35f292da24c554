// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns one mebibyte to any call, with the value 1 in the first 32 bytes, if it has the gas.
contract ReturnBombToken {
    fallback() external {
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            mstore(ptr, 1)
            return(ptr, 0x100000)
        }
    }
}
