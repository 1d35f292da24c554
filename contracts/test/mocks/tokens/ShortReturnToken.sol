// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns 31 nonzero bytes to any call.
contract ShortReturnToken {
    fallback() external {
        assembly ("memory-safe") {
            mstore(0x00, not(0))
            return(0x00, 0x1f)
        }
    }
}
