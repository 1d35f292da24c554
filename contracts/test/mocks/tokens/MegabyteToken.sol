// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Answers everything with a megabyte that begins with the word 1, if it has the gas.
contract MegabyteToken {
    fallback() external {
        assembly ("memory-safe") {
            let answer := mload(0x40)
            mstore(answer, 1)
            return(answer, 0x100000)
        }
    }
}
