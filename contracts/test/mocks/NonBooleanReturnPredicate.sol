// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev `hasAccess` returns the value 2; `supportsInterface` returns it for one interface id.
contract NonBooleanReturnPredicate is CompliantPredicate {
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
