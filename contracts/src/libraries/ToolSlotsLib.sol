// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { URITextLib } from "./URITextLib.sol";

/// @notice The first storage slot of a tool. Zero if the tool was never registered.
type ToolHeader is uint256;

using ToolSlotsLib for ToolHeader global;

/// @title ToolSlotsLib
/// @notice The storage layout of the registry.
/// @dev A tool owns 128 slots, starting at slot `id << 7`:
///
///      | slot    | content                                                                    |
///      |---------|----------------------------------------------------------------------------|
///      | 0       | header                                                                     |
///      | 1       | creator if the tool is gated, otherwise zero                               |
///      | 2       | manifest hash                                                              |
///      | 3 to 66 | text from byte 9 on, 32 bytes per slot, zero-padded on the right           |
///
///      Header, from the most significant bit:
///
///      | bits    | field                                                                      |
///      |---------|----------------------------------------------------------------------------|
///      | 255     | DEREGISTERED: tombstone, all other bits and slots of the tool are zero     |
///      | 254     | GATED: the tool has a predicate                                            |
///      | 253     | LIVE: the tool is registered                                               |
///      | 252-244 | length of the host in the text, or 256 if the text is the URI itself       |
///      | 243-232 | length of the text in bytes                                                |
///      | 231-160 | bytes 0 to 8 of the text, zero-padded on the right                         |
///      | 159-0   | predicate if the tool is gated, otherwise creator                          |
///
///      The text is the metadata URI as encoded by `URITextLib`. An open tool with a well-known URI of common length
///      uses three slots, a gated one four. An access check reads one slot.
///
///      Example: tool 1, open, creator 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, metadata URI
///      https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json. The text is
///      "tools.example.comnft-price-oracle". The host has 17 bytes and the text 33, so the upper 24 bits of the header
///      are 0b001_000010001_000000100001, or 0x211021:
///
///      | slot | value                                                                         |
///      |------|-------------------------------------------------------------------------------|
///      | 0x80 | 0x211021 746f6f6c732e657861 f39fd6e51aad88f6f4ce6ab8827279cfffb92266          |
///      |      | ("tools.exa" in the middle)                                                   |
///      | 0x81 | 0                                                                             |
///      | 0x82 | manifest hash                                                                 |
///      | 0x83 | 0x6d706c652e636f6d6e66742d70726963652d6f7261636c65 0000000000000000           |
///      |      | ("mple.comnft-price-oracle")                                                  |
///
///      With predicate 0x5fbdb2315678afecb367f032d93f642f64180aa3 slot 0x80 is
///      0x611021 746f6f6c732e657861 5fbdb2315678afecb367f032d93f642f64180aa3 and slot 0x81 holds the creator.
///
///      Tool ids are below 2**64, so tools use slots 2**7 to 2**71 - 1. The tool counter is in slot 2**71. Larger ids
///      are never converted to slots, so no two ids share a slot.
library ToolSlotsLib {
    uint256 private constant ID_BITS = 64;
    uint256 private constant SLOT_BITS = 7;
    uint256 private constant COUNT_SLOT = 2 ** (ID_BITS + SLOT_BITS);

    uint256 private constant CREATOR_OFFSET = 1;
    uint256 private constant HASH_OFFSET = 2;
    uint256 private constant TAIL_OFFSET = 3;

    uint256 private constant DEREGISTERED = 1 << 255;
    uint256 private constant GATED_SHIFT = 254;
    uint256 private constant GATED = 2 ** GATED_SHIFT;
    uint256 private constant LIVE = 1 << 253;
    uint256 private constant HOST_LENGTH_SHIFT = 244;
    uint256 private constant HOST_LENGTH_MASK = 0x1ff;
    uint256 private constant TEXT_LENGTH_SHIFT = 232;
    uint256 private constant TEXT_LENGTH_MASK = 0xfff;
    uint256 private constant HEAD_TEXT_SHIFT = 160;
    uint256 private constant HEAD_TEXT_BYTES = 9;
    uint256 private constant ADDRESS_MASK = type(uint160).max;

    /* READS */

    /// @dev Returns the highest assigned tool id.
    function count() internal view returns (uint256) {
        return _load(COUNT_SLOT);
    }

    /// @dev Returns the header of a tool, or zero if the id is out of range.
    function headerOf(uint256 toolId) internal view returns (ToolHeader header) {
        // Equivalent to:
        //     header = toolId < 2 ** 64 ? <storage slot toolId << 7> : 0;
        assembly ("memory-safe") {
            header := mul(sload(shl(SLOT_BITS, toolId)), iszero(shr(ID_BITS, toolId)))
        }
    }

    /// @dev Returns whether the tool is registered and was not deregistered.
    function isLive(ToolHeader header) internal pure returns (bool) {
        return ToolHeader.unwrap(header) & LIVE != 0;
    }

    /// @dev Returns whether the tool was deregistered.
    function isDeregistered(ToolHeader header) internal pure returns (bool) {
        return ToolHeader.unwrap(header) & DEREGISTERED != 0;
    }

    /// @dev Returns the predicate, or the zero address if the tool is open. The product with the GATED bit replaces a
    ///      branch.
    function predicate(ToolHeader header) internal pure returns (address) {
        unchecked {
            return address(uint160(ToolHeader.unwrap(header) * (ToolHeader.unwrap(header) >> GATED_SHIFT & 1)));
        }
    }

    /// @dev Returns the creator. Reads a second slot if the tool is gated.
    function creator(ToolHeader header, uint256 toolId) internal view returns (address) {
        return _isGated(header) ? _creatorOfGated(toolId) : address(uint160(ToolHeader.unwrap(header)));
    }

    /// @dev Returns the creator and the predicate.
    function accounts(ToolHeader header, uint256 toolId)
        internal
        view
        returns (address creatorAddress, address predicateAddress)
    {
        creatorAddress = address(uint160(ToolHeader.unwrap(header)));
        if (_isGated(header)) (creatorAddress, predicateAddress) = (_creatorOfGated(toolId), creatorAddress);
    }

    /// @dev Returns the manifest hash of a live tool.
    function manifestHash(uint256 toolId) internal view returns (bytes32) {
        return bytes32(_load(_slotOf(toolId) | HASH_OFFSET));
    }

    /// @dev Returns the metadata URI of a live tool.
    function metadataURI(ToolHeader header, uint256 toolId) internal view returns (string memory uri) {
        uint256 length = _textLength(ToolHeader.unwrap(header));
        uint256 hostLength = ToolHeader.unwrap(header) >> HOST_LENGTH_SHIFT & HOST_LENGTH_MASK;
        uint256 slot = _slotOf(toolId);

        uint256 text;
        (uri, text) = URITextLib.beginDecode(length, hostLength);
        URITextLib.setWord(text, 0, ToolHeader.unwrap(header) << (256 - HEAD_TEXT_SHIFT - 8 * HEAD_TEXT_BYTES));
        for (uint256 i = HEAD_TEXT_BYTES; i < length; i = _nextOffset(i)) {
            URITextLib.setWord(text, i, _load(_tailSlot(slot, i)));
        }
        URITextLib.finishDecode(uri, text, hostLength);
    }

    /* WRITES */

    /// @dev Stores a new tool under the next id. The counter cannot reach 2**64 in practice.
    function create(address creatorAddress, string calldata uri, bytes32 hash, address predicateAddress)
        internal
        returns (uint256 toolId)
    {
        unchecked {
            toolId = count() + 1;
        }
        _store(COUNT_SLOT, toolId);
        if (predicateAddress == address(0)) {
            _write(toolId, 0, LIVE | uint160(creatorAddress), uri, hash);
        } else {
            _write(toolId, 0, LIVE | GATED | uint160(predicateAddress), uri, hash);
            _store(_slotOf(toolId) | CREATOR_OFFSET, uint160(creatorAddress));
        }
    }

    /// @dev Sets the URI and the hash of a live tool. Writes only slots that change. Returns whether any slot changed.
    function setMetadata(ToolHeader header, uint256 toolId, string calldata uri, bytes32 hash)
        internal
        returns (bool changed)
    {
        uint256 old = ToolHeader.unwrap(header);
        return _write(toolId, old, old & (LIVE | GATED | ADDRESS_MASK), uri, hash);
    }

    /// @dev Sets the predicate of a live tool. Moves the creator between the header and slot 1 if necessary.
    function setPredicate(ToolHeader header, uint256 toolId, address creatorAddress, address predicateAddress)
        internal
    {
        uint256 slot = _slotOf(toolId);
        uint256 unchanged = ToolHeader.unwrap(header) & ~(GATED | ADDRESS_MASK);
        if (predicateAddress == address(0)) {
            _store(slot, unchanged | uint160(creatorAddress));
            _store(slot | CREATOR_OFFSET, 0);
        } else {
            _store(slot, unchanged | GATED | uint160(predicateAddress));
            if (!_isGated(header)) _store(slot | CREATOR_OFFSET, uint160(creatorAddress));
        }
    }

    /// @dev Clears all slots of a live tool and stores the tombstone in the header.
    function deregister(ToolHeader header, uint256 toolId) internal {
        uint256 slot = _slotOf(toolId);
        _store(slot, DEREGISTERED);
        if (_isGated(header)) _store(slot | CREATOR_OFFSET, 0);
        _store(slot | HASH_OFFSET, 0);
        uint256 length = _textLength(ToolHeader.unwrap(header));
        for (uint256 i = HEAD_TEXT_BYTES; i < length; i = _nextOffset(i)) {
            _store(_tailSlot(slot, i), 0);
        }
    }

    /* METADATA */

    /// @dev Replaces the URI and the hash of a tool whose current header is `old` (zero for a new tool).
    ///      `flagsAndAddress` are the bits of the new header that do not depend on the URI. Returns whether any slot
    ///      changed.
    function _write(uint256 toolId, uint256 old, uint256 flagsAndAddress, string calldata uri, bytes32 hash)
        private
        returns (bool)
    {
        uint256 slot = _slotOf(toolId);
        (uint256 text, uint256 length, uint256 hostLength) = URITextLib.encode(uri);
        uint256 headText = URITextLib.wordAt(text, 0) >> (256 - 8 * HEAD_TEXT_BYTES);
        uint256 header = flagsAndAddress | hostLength << HOST_LENGTH_SHIFT | length << TEXT_LENGTH_SHIFT | headText
            << HEAD_TEXT_SHIFT;

        uint256 difference = old ^ header;
        if (difference != 0) _store(slot, header);
        difference |= _replace(slot | HASH_OFFSET, uint256(hash));

        uint256 i = HEAD_TEXT_BYTES;
        for (; i < length; i = _nextOffset(i)) {
            difference |= _replace(_tailSlot(slot, i), URITextLib.wordAt(text, i));
        }
        for (uint256 oldLength = _textLength(old); i < oldLength; i = _nextOffset(i)) {
            _store(_tailSlot(slot, i), 0);
        }
        return difference != 0;
    }

    function _textLength(uint256 header) private pure returns (uint256) {
        return header >> TEXT_LENGTH_SHIFT & TEXT_LENGTH_MASK;
    }

    /// @dev Returns the slot of text bytes `i` to `i + 31`. `i` is 9, 41, 73 and so on.
    function _tailSlot(uint256 slot, uint256 i) private pure returns (uint256) {
        unchecked {
            return slot + TAIL_OFFSET + (i >> 5);
        }
    }

    function _nextOffset(uint256 i) private pure returns (uint256) {
        unchecked {
            return i + 32;
        }
    }

    /* SLOTS */

    function _slotOf(uint256 toolId) private pure returns (uint256) {
        return toolId << SLOT_BITS;
    }

    function _creatorOfGated(uint256 toolId) private view returns (address) {
        return address(uint160(_load(_slotOf(toolId) | CREATOR_OFFSET)));
    }

    function _isGated(ToolHeader header) private pure returns (bool) {
        return ToolHeader.unwrap(header) & GATED != 0;
    }

    /// @dev Writes a slot if its value changes. The additional read is cheap: SLOAD pays for the cold access, so SSTORE
    ///      does not.
    function _replace(uint256 slot, uint256 value) private returns (uint256 difference) {
        difference = _load(slot) ^ value;
        if (difference != 0) _store(slot, value);
    }

    function _load(uint256 slot) private view returns (uint256 value) {
        // Equivalent to:
        //     value = <storage slot>;
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _store(uint256 slot, uint256 value) private {
        // Equivalent to:
        //     <storage slot> = value;
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
