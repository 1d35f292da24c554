// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

contract InvalidOpcodeToken {
    fallback() external {
        assembly ("memory-safe") {
            invalid()
        }
    }
}
