// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev `supportsInterface` returns 31 bytes, the last of them 1, for one interface id.
contract ShortReturnProbePredicate is CompliantPredicate {
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
