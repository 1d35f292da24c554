// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev A valid ERC-165 contract that is not a predicate and reverts unless it receives nearly the full ERC-165 gas
///      limit of 30,000. With less gas it would appear not to support ERC-165. Reverting returns the unused gas to the
///      caller.
contract FullStipendNonPredicate {
    uint256 public constant GAS_NEEDED = 29_750;

    fallback() external {
        uint256 gasAtStart = gasleft();
        bytes4 interfaceId = bytes4(msg.data[4:8]);
        assembly ("memory-safe") {
            if lt(gasAtStart, GAS_NEEDED) { revert(0x00, 0x00) }
        }
        bool supported = interfaceId == type(IERC165).interfaceId;
        assembly ("memory-safe") {
            mstore(0x00, supported)
            return(0x00, 0x20)
        }
    }
}
