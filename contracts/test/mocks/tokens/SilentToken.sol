// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Succeeds and returns nothing, as many contracts do with functions they do not have.
contract SilentToken {
    fallback() external { }
}
