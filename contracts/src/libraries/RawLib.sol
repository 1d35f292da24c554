// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title RawLib
/// @notice Creates a contract, and ends the current call with given bytes.
library RawLib {
    /// @dev Creates a contract. Returns the zero address if its constructor fails.
    function create(bytes memory creationCode) internal returns (address target) {
        assembly ("memory-safe") {
            target := create(0, add(creationCode, 0x20), mload(creationCode))
        }
    }

    /// @dev Reverts with `data`, such as the error of another call.
    function revertWith(bytes memory data) internal pure {
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }

    /// @dev Returns `data` as the whole return data. In a constructor, `data` becomes the code of the contract.
    function returnWith(bytes memory data) internal pure {
        assembly ("memory-safe") {
            return(add(data, 0x20), mload(data))
        }
    }
}
