// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title CodeStoreLib
/// @notice Keeps words as the code of a contract made for them: written once, read with one cold account access.
/// @dev A list of n words costs 2,600 gas to read this way and 2,100 each from storage. The code starts with STOP, so
///      calling it does nothing.
library CodeStoreLib {
    /// @notice The data contract could not be created: out of gas, or more than 24,575 bytes.
    error CodeStoreFailed();

    /// @dev Creation code: return what follows these ten bytes. PUSH2 length, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0,
    ///      RETURN; the length stands in bytes 1 and 2.
    uint256 private constant CREATION = 0x610000_80_600a_5f_39_5f_f3;
    uint256 private constant CREATION_BYTES = 10;

    /// @dev Makes a contract that holds `words`.
    function write(uint256[] memory words) internal returns (address at) {
        uint256 size = words.length * 32 + 1;
        if (size > type(uint16).max) revert CodeStoreFailed();
        uint256 creation = CREATION | size << 56;
        assembly ("memory-safe") {
            // Code and STOP go where the array's length stands, which is put back afterwards.
            let length := mload(words)
            mstore(words, shl(8, creation))
            at := create(0, add(words, sub(0x1f, CREATION_BYTES)), add(size, CREATION_BYTES))
            mstore(words, length)
        }
        if (at == address(0)) revert CodeStoreFailed();
    }

    /// @dev Reads back all `length` words.
    function read(address at, uint256 length) internal view returns (uint256[] memory words) {
        words = new uint256[](length);
        assembly ("memory-safe") {
            extcodecopy(at, add(words, 0x20), 1, shl(5, length))
        }
    }

    /// @dev The same words, read as addresses.
    function asAddresses(uint256[] memory words) internal pure returns (address[] memory addresses) {
        assembly ("memory-safe") {
            addresses := words
        }
    }
}
