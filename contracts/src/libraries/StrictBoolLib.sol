// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title StrictBoolLib
/// @notice Decodes a bool returned by an untrusted contract.
library StrictBoolLib {
    /// @dev Decodes the return data of the preceding call. The call must have copied the first 32 bytes of its return
    ///      data to memory at 0x00. Returns `(true, value)` if the call succeeded and returned exactly 32 bytes that
    ///      encode 0 or 1, and `(false, false)` otherwise.
    function decode(bool success) internal pure returns (bool ok, bool value) {
        // Equivalent to:
        //     ok = success && returndata.length == 32 && uint256(bytes32(returndata)) < 2;
        //     value = ok && uint256(bytes32(returndata)) == 1;
        assembly ("memory-safe") {
            let word := mload(0x00)
            ok := and(and(success, eq(returndatasize(), 0x20)), lt(word, 2))
            value := and(ok, word)
        }
    }
}
