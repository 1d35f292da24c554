// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title CodeStoreLib
/// @notice Stores a list of 32-byte words as the code of a data contract (SSTORE2).
/// @dev Reading n words costs one cold account access (2,600 gas) instead of n cold storage reads (2,100 gas each). The
///      code of a data contract is STOP (0x00) followed by the words, so calling it has no effect:
///
///      | code bytes | content                |
///      |------------|------------------------|
///      | 0          | 00, STOP               |
///      | 1 to 32    | words[0]               |
///      | 33 to 64   | words[1]               |
///      | …          | …                      |
library CodeStoreLib {
    /// @notice The data contract could not be created: out of gas, or more than 24,575 bytes of data.
    error CodeStoreFailed();

    /// @dev Init code that deploys the bytes after itself. The two zero bytes are replaced by the code size:
    ///
    ///      | bytes      | 61 SSSS    | 80   | 60 0a      | 5f    | 39       | 5f    | f3     |
    ///      |------------|------------|------|------------|-------|----------|-------|--------|
    ///      | opcode     | PUSH2 size | DUP1 | PUSH1 0x0a | PUSH0 | CODECOPY | PUSH0 | RETURN |
    uint256 private constant INIT_CODE = 0x610000_80_600a_5f_39_5f_f3;
    uint256 private constant INIT_CODE_BYTES = 10;

    /// @dev Deploys a data contract that holds `words`.
    function write(uint256[] memory words) internal returns (address store) {
        uint256 size = words.length * 32 + 1;
        if (size > type(uint16).max) revert CodeStoreFailed();
        uint256 initCode = INIT_CODE | size << 56;
        // Equivalent to:
        //     bytes memory creationCode = abi.encodePacked(uint80(initCode), uint8(0), words);
        //     store = CREATE with value 0 and creationCode;
        // Does not copy `words`: the init code and STOP temporarily replace the array length, right before words[0].
        // For words = [42]:
        //     words         00 (21 bytes) | 61 0021 80 60 0a 5f 39 5f f3 | 00     instead of the array length
        //     words + 0x20  00 (31 bytes) | 2a
        // The creation code starts at byte 21 of `words` and has 10 + 33 bytes.
        assembly ("memory-safe") {
            let length := mload(words)
            mstore(words, shl(8, initCode))
            store := create(0, add(words, sub(0x1f, INIT_CODE_BYTES)), add(size, INIT_CODE_BYTES))
            mstore(words, length)
        }
        if (store == address(0)) revert CodeStoreFailed();
    }

    /// @dev Reads all `length` words of a data contract.
    function read(address store, uint256 length) internal view returns (uint256[] memory words) {
        words = new uint256[](length);
        // Equivalent to:
        //     words[i] = uint256(bytes32(store.code[1 + 32 * i:])) for every i
        assembly ("memory-safe") {
            extcodecopy(store, add(words, 0x20), 1, shl(5, length))
        }
    }

    /// @dev Casts words to addresses without copying. The upper 96 bits of every word must be zero.
    function asAddresses(uint256[] memory words) internal pure returns (address[] memory addresses) {
        // Equivalent to:
        //     addresses[i] = address(uint160(words[i])) for every i
        assembly ("memory-safe") {
            addresses := words
        }
    }
}
