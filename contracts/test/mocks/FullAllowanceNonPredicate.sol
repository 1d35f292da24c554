// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev An honest ERC-165 contract that is no predicate, and that reverts unless a question comes with the whole
///      allowance: a starved question would make it look like a contract that knows nothing of ERC-165. It gives the gas
///      back, so that whoever asked can go on.
contract FullAllowanceNonPredicate {
    uint256 public constant GAS_NEEDED = 29_750;

    fallback() external {
        uint256 left = gasleft();
        bytes4 interfaceId = bytes4(msg.data[4:8]);
        assembly ("memory-safe") {
            if lt(left, GAS_NEEDED) { revert(0x00, 0x00) }
        }
        bool yes = interfaceId == type(IERC165).interfaceId;
        assembly ("memory-safe") {
            mstore(0x00, yes)
            return(0x00, 0x20)
        }
    }
}
