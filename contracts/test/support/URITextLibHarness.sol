// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { URITextLib } from "src/libraries/URITextLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract URITextLibHarness {
    uint256 public constant NOT_ABBREVIATED = URITextLib.NOT_COMPRESSED;

    function abbreviate(string calldata uri)
        external
        pure
        returns (bytes memory text, uint256 hostLength, uint256 wordBehind)
    {
        uint256 before = _freeMemory();
        DirtyMemory.spill(bytes(uri).length + 128);
        (uint256 at, uint256 length, uint256 found) = URITextLib.encode(uri);
        require(at == before, "the text does not stand in new memory");
        require(_freeMemory() == _wholeWords(at + length + 32), "not the memory of the text and the word behind it");
        hostLength = found;
        wordBehind = URITextLib.wordAt(at, length);
        text = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            text[i] = bytes32(URITextLib.wordAt(at, i))[0];
        }
    }

    /// @dev Writes the text as the registry does: nine bytes of it with other bits behind them, then whole words.
    function expand(bytes calldata text, uint256 hostLength) external pure returns (string memory uri) {
        uint256 before = _freeMemory();
        DirtyMemory.spill(text.length + 256);
        uint256 at;
        (uri, at) = URITextLib.beginDecode(text.length, hostLength);
        uint256 freeMemory = _freeMemory();
        require(_addressOf(uri) == before, "the URI does not stand in new memory");
        require(freeMemory == _wholeWords(before + bytes(uri).length + 64), "not the memory of a URI and a spare word");
        URITextLib.setWord(at, 0, uint256(_wordAt(text, 0)) | type(uint184).max);
        for (uint256 i = 9; i < text.length; i += 32) {
            require(at + i + 32 <= freeMemory, "a word of the text is not in memory of its own");
            URITextLib.setWord(at, i, uint256(_wordAt(text, i)));
        }
        require(at + 32 <= freeMemory, "the first word is not in memory of its own");
        URITextLib.finishDecode(uri, at, hostLength);
        require(_freeMemory() == freeMemory, "finish allocated");
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
