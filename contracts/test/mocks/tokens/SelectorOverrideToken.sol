// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Forwards calls to a valid token, except one selector, which it delegatecalls to another contract.
contract SelectorOverrideToken {
    address private immutable _BASE;
    address private immutable _OVERRIDE;
    bytes4 private immutable _SELECTOR;

    constructor(address base, address overriding, bytes4 selector) {
        (_BASE, _OVERRIDE, _SELECTOR) = (base, overriding, selector);
    }

    fallback() external {
        (bool success, bytes memory returndata) =
            msg.sig == _SELECTOR ? _OVERRIDE.delegatecall(msg.data) : _BASE.staticcall(msg.data);
        if (success) {
            assembly ("memory-safe") {
                return(add(returndata, 0x20), mload(returndata))
            }
        }
        assembly ("memory-safe") {
            revert(add(returndata, 0x20), mload(returndata))
        }
    }
}
