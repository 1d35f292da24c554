// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns one result with at least `threshold` gas and the opposite result with less, like a predicate that turns
///      an inner out-of-gas failure into a denial. `supportsInterface` always returns false.
contract GasDependentPredicate {
    uint256 private immutable _THRESHOLD;
    bool private immutable _ABOVE;

    constructor(uint256 threshold, bool above) {
        _THRESHOLD = threshold;
        _ABOVE = above;
    }

    fallback() external {
        bool result = gasleft() >= _THRESHOLD ? _ABOVE : !_ABOVE;
        if (msg.sig == 0x01ffc9a7) result = false;
        assembly ("memory-safe") {
            mstore(0x00, result)
            return(0x00, 0x20)
        }
    }
}
