// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Returns the word 2 from `hasAccess`, and when asked for one particular interface.
contract WordTwoPredicate is HonestPredicate {
    bytes4 private immutable _TWO_ON;

    constructor(bytes4 twoOn) {
        _TWO_ON = twoOn;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        assembly ("memory-safe") {
            mstore(0x00, 2)
            return(0x00, 0x20)
        }
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == _TWO_ON) {
            assembly ("memory-safe") {
                mstore(0x00, 2)
                return(0x00, 0x20)
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
