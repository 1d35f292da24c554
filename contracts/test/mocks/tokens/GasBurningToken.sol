// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Burns whatever gas it is given, whatever it is asked.
contract GasBurningToken {
    fallback() external {
        while (true) { }
    }
}
