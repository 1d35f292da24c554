// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The three results of an access check, in the order of Kleene's logic.
enum Access {
    Denied,
    Unknown,
    Granted
}
