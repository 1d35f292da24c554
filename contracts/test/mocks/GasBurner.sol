// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Consumes all gas, whatever function is called.
contract GasBurner {
    fallback() external {
        while (true) { }
    }
}
