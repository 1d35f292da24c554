// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Succeeds without a word when asked for one particular interface.
contract SilentProbePredicate is HonestPredicate {
    bytes4 private immutable _SILENT_ON;

    constructor(bytes4 silentOn) {
        _SILENT_ON = silentOn;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == _SILENT_ON) {
            assembly ("memory-safe") {
                return(0x00, 0x00)
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
