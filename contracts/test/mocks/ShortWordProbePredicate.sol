// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Returns 31 bytes, the last of them 1, when asked for one particular interface.
contract ShortWordProbePredicate is HonestPredicate {
    bytes4 private immutable _SHORT_ON;

    constructor(bytes4 shortOn) {
        _SHORT_ON = shortOn;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == _SHORT_ON) {
            assembly ("memory-safe") {
                mstore(0x00, 1)
                return(0x01, 0x1f)
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
