// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Behaves like a good token, except on one function, where it behaves like a bad one.
contract HalfHostileToken {
    address private immutable _GOOD;
    address private immutable _BAD;
    bytes4 private immutable _SELECTOR;

    constructor(address good, address bad, bytes4 selector) {
        (_GOOD, _BAD, _SELECTOR) = (good, bad, selector);
    }

    fallback() external {
        (bool success, bytes memory answer) =
            msg.sig == _SELECTOR ? _BAD.delegatecall(msg.data) : _GOOD.staticcall(msg.data);
        if (success) {
            assembly ("memory-safe") {
                return(add(answer, 0x20), mload(answer))
            }
        }
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }
}
