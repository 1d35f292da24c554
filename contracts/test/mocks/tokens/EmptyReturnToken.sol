// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Succeeds without return data, like a contract whose fallback accepts unknown functions.
contract EmptyReturnToken {
    fallback() external { }
}
