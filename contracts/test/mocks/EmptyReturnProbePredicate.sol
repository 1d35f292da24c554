// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev `supportsInterface` succeeds without return data for one interface id.
contract EmptyReturnProbePredicate is CompliantPredicate {
    bytes4 private immutable _EMPTY_ON;

    constructor(bytes4 emptyOn) {
        _EMPTY_ON = emptyOn;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == _EMPTY_ON) {
            assembly ("memory-safe") {
                return(0x00, 0x00)
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
