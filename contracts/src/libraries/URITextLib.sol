// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title URITextLib
/// @notice Compresses metadata URIs for storage. Lossless for every byte string.
/// @dev A URI of the form `https://HOST/.well-known/ai-tool/SLUG.json`, where HOST has at most 255 bytes and no slash,
///      is encoded as HOST followed by SLUG, which saves 34 bytes. Any other URI is encoded as itself. The result is
///      called the text of the URI. The library does not validate URIs: HOST and SLUG can be empty or contain any
///      bytes.
///
///      Example: https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json (67 bytes)
///
///      | URI bytes | part                    | encoded as                                       |
///      |-----------|-------------------------|--------------------------------------------------|
///      | 0-7       | `https://`              | -                                                |
///      | 8-24      | `tools.example.com`     | text bytes 0-16, hostLength = 17                 |
///      | 25-45     | `/.well-known/ai-tool/` | -                                                |
///      | 46-61     | `nft-price-oracle`      | text bytes 17-32                                 |
///      | 62-66     | `.json`                 | -                                                |
///
///      text = 0x746f6f6c732e6578616d706c652e636f6d 6e66742d70726963652d6f7261636c65, length = 33. `ToolSlotsLib` shows
///      the same example in storage.
library URITextLib {
    bytes8 private constant SCHEME = "https://";
    bytes21 private constant FOLDER = "/.well-known/ai-tool/";
    bytes5 private constant SUFFIX = ".json";
    uint256 private constant SCHEME_BYTES = 8;
    uint256 private constant FOLDER_BYTES = 21;
    uint256 private constant SUFFIX_BYTES = 5;
    uint256 private constant FIXED_BYTES = 34; // sum of the three

    /// @dev The value of `hostLength` for a URI that is encoded as itself.
    uint256 internal constant NOT_COMPRESSED = 256;

    uint256 private constant EVERY_BYTE_SLASH = 0x2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f;
    uint256 private constant EVERY_BYTE_7F = 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f;

    /// @dev Encodes `uri` into newly allocated memory. The text is followed by 32 zero bytes.
    /// @return text       The memory address of the text.
    /// @return length     The length of the text in bytes.
    /// @return hostLength The length of the host in bytes, or NOT_COMPRESSED.
    function encode(string calldata uri) internal pure returns (uint256 text, uint256 length, uint256 hostLength) {
        length = bytes(uri).length;
        hostLength = _distanceToSlash(uri, SCHEME_BYTES);
        unchecked {
            if (_hasWellKnownForm(uri, hostLength)) {
                length -= FIXED_BYTES;
                text = _copyParts(uri, SCHEME_BYTES, hostLength, length - hostLength);
            } else {
                hostLength = NOT_COMPRESSED;
                text = _copyParts(uri, 0, length, 0);
            }
        }
    }

    /// @dev Allocates the URI for a text with `length` bytes. The caller writes the text to memory at `text` and then
    ///      calls `finishDecode`. In the example above:
    ///
    ///      | URI bytes              | 0-7        | 8-24 | 25-28 | 29-45 | 46-61 | 62-66   |
    ///      |------------------------|------------|------|-------|-------|-------|---------|
    ///      | after beginDecode      | `https://` |      |       |       |       |         |
    ///      | after writing the text | `https://` |      |       | HOST  | SLUG  |         |
    ///      | after finishDecode     | `https://` | HOST | folder        | SLUG  | `.json` |
    ///
    ///      `text` is URI byte 29, so SLUG is written to its final position.
    /// @return uri  The URI, with the final length.
    /// @return text The memory address to which the caller must write the text.
    function beginDecode(uint256 length, uint256 hostLength) internal pure returns (string memory uri, uint256 text) {
        // Equivalent to:
        //     bool compressed = hostLength < NOT_COMPRESSED;
        //     uri = new string(compressed ? length + FIXED_BYTES : length), with SCHEME in its first bytes;
        //     text = address of byte (compressed ? SCHEME_BYTES + FOLDER_BYTES : 0) of uri;
        assembly ("memory-safe") {
            uri := mload(0x40)
            // An uncompressed text overwrites the scheme.
            let compressed := lt(hostLength, NOT_COMPRESSED)
            mstore(add(uri, 0x20), SCHEME)
            text := add(add(uri, 0x20), mul(compressed, add(SCHEME_BYTES, FOLDER_BYTES)))
            length := add(length, mul(compressed, FIXED_BYTES))
            mstore(uri, length)
            // Allocates 32 bytes more than necessary: the caller writes the text in whole words.
            mstore(0x40, add(uri, and(add(length, 0x5f), not(0x1f))))
        }
    }

    /// @dev Moves the host to its final position and writes the folder and the suffix.
    function finishDecode(string memory uri, uint256 text, uint256 hostLength) internal pure {
        // Equivalent to:
        //     if (hostLength < NOT_COMPRESSED) uri = string.concat(SCHEME, host, FOLDER, slug, SUFFIX);
        assembly ("memory-safe") {
            if lt(hostLength, NOT_COMPRESSED) {
                let host := add(uri, add(0x20, SCHEME_BYTES))
                let end := add(add(uri, 0x20), mload(uri))
                mcopy(host, text, hostLength)
                mstore(0x00, FOLDER)
                mcopy(add(host, hostLength), 0x00, FOLDER_BYTES)
                mstore(sub(end, SUFFIX_BYTES), SUFFIX)
            }
        }
    }

    /// @dev Reads text bytes `offset` to `offset + 31`.
    function wordAt(uint256 text, uint256 offset) internal pure returns (uint256 value) {
        // Equivalent to:
        //     value = uint256(bytes32(text[offset:]));
        assembly ("memory-safe") {
            value := mload(add(text, offset))
        }
    }

    /// @dev Writes text bytes `offset` to `offset + 31`. Words must be written in ascending order: a word with fewer
    ///      than 32 bytes of text writes other bytes after them, which the next word overwrites.
    function setWord(uint256 text, uint256 offset, uint256 value) internal pure {
        // Equivalent to:
        //     text[offset:offset + 32] = bytes32(value);
        assembly ("memory-safe") {
            mstore(add(text, offset), value)
        }
    }

    /// @dev Copies two parts of `uri` into newly allocated memory, followed by 32 zero bytes. The first part begins at
    ///      `start`. The second part begins FOLDER_BYTES after the end of the first.
    function _copyParts(string calldata uri, uint256 start, uint256 firstLength, uint256 secondLength)
        private
        pure
        returns (uint256 text)
    {
        // Equivalent to:
        //     uint256 next = start + firstLength + FOLDER_BYTES;
        //     text = bytes.concat(uri[start:start + firstLength], uri[next:next + secondLength], bytes32(0));
        // without a length prefix.
        assembly ("memory-safe") {
            text := mload(0x40)
            let source := add(uri.offset, start)
            let second := add(text, firstLength)
            let end := add(second, secondLength)
            calldatacopy(text, source, firstLength)
            calldatacopy(second, add(add(source, firstLength), FOLDER_BYTES), secondLength)
            mstore(end, 0)
            mstore(0x40, and(add(end, 0x3f), not(0x1f)))
        }
    }

    /// @dev Returns whether `uri` has the well-known form with a host of `hostLength` bytes.
    function _hasWellKnownForm(string calldata uri, uint256 hostLength) private pure returns (bool) {
        unchecked {
            uint256 length = bytes(uri).length;
            // `mismatch` is zero if all three fixed parts match. For a URI that is too short it depends on calldata
            // after the URI, but then `tooShort` is 1.
            uint256 mismatch = uint256(_calldataWord(uri, 0) ^ SCHEME) >> (256 - 8 * SCHEME_BYTES)
                | uint256(_calldataWord(uri, SCHEME_BYTES + hostLength) ^ FOLDER) >> (256 - 8 * FOLDER_BYTES)
                | uint256(_calldataWord(uri, length - SUFFIX_BYTES) ^ SUFFIX) >> (256 - 8 * SUFFIX_BYTES);
            uint256 tooShort = (length - FIXED_BYTES - hostLength) >> 255;
            uint256 hostTooLong = hostLength >> 8;
            return mismatch | tooShort | hostTooLong == 0;
        }
    }

    /// @dev Returns the number of bytes between `start` and the first slash, or a number above 255 if there is none
    ///      within 256 bytes. May find a slash in calldata after the URI: the caller must compare the result with the
    ///      length.
    function _distanceToSlash(string calldata uri, uint256 start) private pure returns (uint256 distance) {
        unchecked {
            do {
                // A byte of `mismatch` is zero where the URI has a slash. `slashes` has the top bit of exactly those
                // bytes.
                uint256 mismatch = uint256(_calldataWord(uri, start + distance)) ^ EVERY_BYTE_SLASH;
                uint256 slashes = ~(((mismatch & EVERY_BYTE_7F) + EVERY_BYTE_7F) | mismatch | EVERY_BYTE_7F);
                if (slashes != 0) return distance + _leadingZeroBytes(slashes);
                distance += 32;
            } while (distance < NOT_COMPRESSED);
        }
    }

    /// @dev Returns the number of leading zero bytes of a non-zero word, by binary search. Only the top bit of each
    ///      byte may be set.
    function _leadingZeroBytes(uint256 flags) private pure returns (uint256 zeroBytes) {
        // Equivalent to:
        //     while (flags >> (248 - 8 * zeroBytes) == 0) zeroBytes++;
        assembly ("memory-safe") {
            let bits := shl(7, iszero(shr(128, flags)))
            bits := or(bits, shl(6, iszero(shr(192, shl(bits, flags)))))
            bits := or(bits, shl(5, iszero(shr(224, shl(bits, flags)))))
            bits := or(bits, shl(4, iszero(shr(240, shl(bits, flags)))))
            bits := or(bits, shl(3, iszero(shr(248, shl(bits, flags)))))
            zeroBytes := shr(3, bits)
        }
    }

    function _calldataWord(string calldata uri, uint256 offset) private pure returns (bytes32 value) {
        // Equivalent to:
        //     value = bytes32(msg.data[<start of uri> + offset:]), zero-padded at the end of the calldata;
        assembly ("memory-safe") {
            value := calldataload(add(uri.offset, offset))
        }
    }
}
