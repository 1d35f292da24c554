// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title URITextLib
/// @notice Abbreviates metadata URIs for storage, and writes them out again. Every byte string survives the round trip.
/// @dev The text of a URI is the URI itself, or, if it reads `https://HOST/.well-known/ai-tool/SLUG.json` with no slash
///      in HOST and at most 255 bytes of it, only HOST and SLUG, one right after the other: 34 bytes less. Nothing here
///      judges a URI: an empty host or slug, or one that no server could have, is abbreviated all the same.
library URITextLib {
    bytes8 private constant SCHEME = "https://";
    bytes21 private constant FOLDER = "/.well-known/ai-tool/";
    bytes5 private constant SUFFIX = ".json";
    uint256 private constant SCHEME_BYTES = 8;
    uint256 private constant FOLDER_BYTES = 21;
    uint256 private constant SUFFIX_BYTES = 5;
    uint256 private constant FIXED_BYTES = 34; // the three together

    /// @dev What `hostLength` is for a URI that is kept as it is. Longer hosts would not fit a byte.
    uint256 internal constant NOT_ABBREVIATED = 256;

    uint256 private constant EVERY_BYTE_SLASH = 0x2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f;
    uint256 private constant EVERY_BYTE_7F = 0x7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f;

    /// @dev Brings the text of `uri` to new memory at `text`, with a zero word behind it.
    /// @return text       Where it stands.
    /// @return length     How many bytes it has.
    /// @return hostLength How many of them are the host, or NOT_ABBREVIATED.
    function abbreviate(string calldata uri) internal pure returns (uint256 text, uint256 length, uint256 hostLength) {
        length = bytes(uri).length;
        hostLength = _firstSlash(uri, SCHEME_BYTES);
        unchecked {
            if (_canAbbreviate(uri, hostLength)) {
                length -= FIXED_BYTES;
                text = _gather(uri, SCHEME_BYTES, hostLength, length - hostLength);
            } else {
                hostLength = NOT_ABBREVIATED;
                text = _gather(uri, 0, length, 0);
            }
        }
    }

    /// @dev Makes room for the URI of a text that has `length` bytes, `hostLength` of them the host.
    /// @return uri  The URI, complete but for the text.
    /// @return text Where the text has to be written before `finish` is called.
    function begin(uint256 length, uint256 hostLength) internal pure returns (string memory uri, uint256 text) {
        assembly ("memory-safe") {
            uri := mload(0x40)
            // The slug's place in the URI is its place in a text with scheme and folder before it. A text that is not
            // abbreviated overwrites the scheme.
            let abbreviated := lt(hostLength, NOT_ABBREVIATED)
            mstore(add(uri, 0x20), SCHEME)
            text := add(add(uri, 0x20), mul(abbreviated, add(SCHEME_BYTES, FOLDER_BYTES)))
            length := add(length, mul(abbreviated, FIXED_BYTES))
            mstore(uri, length)
            // A word to spare: words of the text are stored whole.
            mstore(0x40, add(uri, and(add(length, 0x5f), not(0x1f))))
        }
    }

    /// @dev Moves the host to its place and writes the fixed parts around it.
    function finish(string memory uri, uint256 text, uint256 hostLength) internal pure {
        assembly ("memory-safe") {
            if lt(hostLength, NOT_ABBREVIATED) {
                let host := add(uri, add(0x20, SCHEME_BYTES))
                let end := add(add(uri, 0x20), mload(uri))
                mcopy(host, text, hostLength)
                mstore(0x00, FOLDER)
                mcopy(add(host, hostLength), 0x00, FOLDER_BYTES)
                mstore(sub(end, SUFFIX_BYTES), SUFFIX)
            }
        }
    }

    /// @dev The 32 bytes of a text from byte `at` on.
    function word(uint256 text, uint256 at) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(text, at))
        }
    }

    /// @dev Writes 32 bytes of a text from byte `at` on. Words are stored whole: the next one goes over the end of this.
    function setWord(uint256 text, uint256 at, uint256 value) internal pure {
        assembly ("memory-safe") {
            mstore(add(text, at), value)
        }
    }

    /// @dev Copies two pieces of `uri`, the first at `start`, the second a folder behind it, to new memory, one right
    ///      after the other, and zeroes the word behind them.
    function _gather(string calldata uri, uint256 start, uint256 firstLength, uint256 secondLength)
        private
        pure
        returns (uint256 text)
    {
        assembly ("memory-safe") {
            text := mload(0x40)
            let from := add(uri.offset, start)
            let seam := add(text, firstLength)
            let end := add(seam, secondLength)
            calldatacopy(text, from, firstLength)
            calldatacopy(seam, add(add(from, firstLength), FOLDER_BYTES), secondLength)
            mstore(end, 0)
            mstore(0x40, and(add(end, 0x3f), not(0x1f)))
        }
    }

    /// @dev Whether the three fixed parts stand where they must if the host has `hostLength` bytes.
    function _canAbbreviate(string calldata uri, uint256 hostLength) private pure returns (bool) {
        unchecked {
            uint256 length = bytes(uri).length;
            // Equal bytes leave zero. Words behind a URI that is too short mean nothing, but then `tooShort` is set.
            uint256 unlike = uint256(_wordAt(uri, 0) ^ SCHEME) >> (256 - 8 * SCHEME_BYTES)
                | uint256(_wordAt(uri, SCHEME_BYTES + hostLength) ^ FOLDER) >> (256 - 8 * FOLDER_BYTES)
                | uint256(_wordAt(uri, length - SUFFIX_BYTES) ^ SUFFIX) >> (256 - 8 * SUFFIX_BYTES);
            uint256 tooShort = (length - FIXED_BYTES - hostLength) >> 255;
            uint256 hostTooLong = hostLength >> 8;
            return unlike | tooShort | hostTooLong == 0;
        }
    }

    /// @dev How far behind `start` the first slash stands, or NOT_ABBREVIATED if not within 255 bytes. May run over the
    ///      end of `uri`; the caller compares.
    function _firstSlash(string calldata uri, uint256 start) private pure returns (uint256 distance) {
        unchecked {
            do {
                // A byte of `unlike` is zero where the URI has a slash; `slashes` has the top bit of just those bytes.
                uint256 unlike = uint256(_wordAt(uri, start + distance)) ^ EVERY_BYTE_SLASH;
                uint256 slashes = ~(((unlike & EVERY_BYTE_7F) + EVERY_BYTE_7F) | unlike | EVERY_BYTE_7F);
                if (slashes != 0) return distance + _leadingZeroBytes(slashes);
                distance += 32;
            } while (distance < NOT_ABBREVIATED);
        }
    }

    /// @dev Halves the search five times: if the upper half of what is left is empty, step over it.
    function _leadingZeroBytes(uint256 marks) private pure returns (uint256 zeroBytes) {
        assembly ("memory-safe") {
            let bits := shl(7, iszero(shr(128, marks)))
            bits := or(bits, shl(6, iszero(shr(192, shl(bits, marks)))))
            bits := or(bits, shl(5, iszero(shr(224, shl(bits, marks)))))
            bits := or(bits, shl(4, iszero(shr(240, shl(bits, marks)))))
            bits := or(bits, shl(3, iszero(shr(248, shl(bits, marks)))))
            zeroBytes := shr(3, bits)
        }
    }

    function _wordAt(string calldata uri, uint256 at) private pure returns (bytes32 found) {
        assembly ("memory-safe") {
            found := calldataload(add(uri.offset, at))
        }
    }
}
