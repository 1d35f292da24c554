// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { URITextLib } from "src/libraries/URITextLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract URITextLibHarness {
    uint256 public constant NOT_COMPRESSED = URITextLib.NOT_COMPRESSED;

    function encode(string calldata uri)
        external
        pure
        returns (bytes memory text, uint256 hostLength, uint256 wordAfter)
    {
        uint256 before = _freeMemory();
        DirtyMemory.fill(bytes(uri).length + 128);
        (uint256 at, uint256 length, uint256 found) = URITextLib.encode(uri);
        require(at == before, "the text is not in newly allocated memory");
        require(_freeMemory() == _wholeWords(at + length + 32), "allocation is not the text plus one word");
        hostLength = found;
        wordAfter = URITextLib.wordAt(at, length);
        text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = bytes32(URITextLib.wordAt(at, i))[0];
        }
    }

    /// @dev Writes the text like the registry: a first word with nine bytes of text and other bits, then whole words.
    function decode(bytes calldata text, uint256 hostLength) external pure returns (string memory uri) {
        uint256 before = _freeMemory();
        DirtyMemory.fill(text.length + 256);
        uint256 at;
        (uri, at) = URITextLib.beginDecode(text.length, hostLength);
        uint256 freeMemory = _freeMemory();
        require(_addressOf(uri) == before, "the URI is not in newly allocated memory");
        require(freeMemory == _wholeWords(before + bytes(uri).length + 64), "allocation is not the URI plus one word");
        URITextLib.setWord(at, 0, uint256(_wordAt(text, 0)) | type(uint184).max);
        for (uint256 i = 9; i < text.length; i += 32) {
            require(at + i + 32 <= freeMemory, "a word of the text is outside the allocation");
            URITextLib.setWord(at, i, uint256(_wordAt(text, i)));
        }
        require(at + 32 <= freeMemory, "the first word is outside the allocation");
        URITextLib.finishDecode(uri, at, hostLength);
        require(_freeMemory() == freeMemory, "finish allocated memory");
    }

    function _wordAt(bytes calldata text, uint256 from) private pure returns (bytes32 word) {
        for (uint256 i = from; i < text.length && i < from + 32; i++) {
            word |= bytes32(text[i]) >> (8 * (i - from));
        }
    }

    function _wholeWords(uint256 length) private pure returns (uint256) {
        return (length + 31) / 32 * 32;
    }

    function _addressOf(string memory text) private pure returns (uint256 at) {
        assembly ("memory-safe") {
            at := text
        }
    }

    function _freeMemory() private pure returns (uint256 at) {
        assembly ("memory-safe") {
            at := mload(0x40)
        }
    }
}
