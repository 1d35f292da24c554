// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Says one thing if it is asked with at least a given amount of gas and the opposite with less, as a predicate does
///      that takes running out of gas for a no. Answers ERC-165 with the same nonsense.
contract GasTellingPredicate {
    uint256 private immutable _THRESHOLD;
    bool private immutable _ABOVE;

    constructor(uint256 threshold, bool above) {
        _THRESHOLD = threshold;
        _ABOVE = above;
    }

    fallback() external {
        bool answer = gasleft() >= _THRESHOLD ? _ABOVE : !_ABOVE;
        if (msg.sig == 0x01ffc9a7) answer = false;
        assembly ("memory-safe") {
            mstore(0x00, answer)
            return(0x00, 0x20)
        }
    }
}
