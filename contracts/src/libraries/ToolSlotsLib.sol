// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { URITextLib } from "./URITextLib.sol";

/// @notice The first storage word of a tool. Zero if there never was such a tool.
type ToolHeader is uint256;

using ToolSlotsLib for ToolHeader global;

/// @title ToolSlotsLib
/// @notice Where a tool lives in storage. The only file that knows.
/// @dev A tool owns the 128 slots from `id << 7` on:
///
///      | slot | holds                                                              |
///      |------|--------------------------------------------------------------------|
///      | 0    | header                                                             |
///      | 1    | creator, if the tool is gated; else empty                          |
///      | 2    | manifest hash                                                      |
///      | 3 …  | text from its tenth byte on, 32 bytes a slot, zero-padded; 64 most |
///
///      header, from the highest bit down:
///
///      | bits | field                                                              |
///      |------|--------------------------------------------------------------------|
///      | 1    | REMOVED: a tombstone; every other bit and slot of the tool is zero |
///      | 1    | GATED: there is a predicate                                        |
///      | 1    | LIVE: there is a tool                                              |
///      | 9    | length of the host in the text, or 256 if the text is the URI      |
///      | 12   | length of the text                                                 |
///      | 72   | the first nine bytes of the text, zero-padded                      |
///      | 160  | the predicate if gated, else the creator                           |
///
///      The text is the URI as `URITextLib` abbreviates it. So an open tool at a common URI takes three slots and a gated
///      one four, and an access check reads one.
///
///      Ids reach to 2**64 - 1, so tools occupy slots 2**7 to 2**71 - 1 and the counter takes the next one. No id
///      outside that range is ever turned into a slot: nothing aliases.
library ToolSlotsLib {
    uint256 private constant ID_BITS = 64;
    uint256 private constant SLOT_BITS = 7;
    uint256 private constant COUNT_SLOT = 2 ** (ID_BITS + SLOT_BITS);

    uint256 private constant CREATOR_OFFSET = 1;
    uint256 private constant HASH_OFFSET = 2;
    uint256 private constant TAIL_OFFSET = 3;

    uint256 private constant REMOVED = 1 << 255;
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

    /* READING */

    /// @dev The highest id given so far.
    function count() internal view returns (uint256) {
        return _load(COUNT_SLOT);
    }

    /// @dev The header of a tool; zero for an id that no tool can have.
    function headerOf(uint256 toolId) internal view returns (ToolHeader header) {
        assembly ("memory-safe") {
            header := mul(sload(shl(SLOT_BITS, toolId)), iszero(shr(ID_BITS, toolId)))
        }
    }

    /// @dev Whether the tool exists and was not removed.
    function isLive(ToolHeader header) internal pure returns (bool) {
        return ToolHeader.unwrap(header) & LIVE != 0;
    }

    /// @dev Whether the tool existed and was removed.
    function isRemoved(ToolHeader header) internal pure returns (bool) {
        return ToolHeader.unwrap(header) & REMOVED != 0;
    }

    /// @dev The predicate, or the zero address if the tool is open.
    function predicate(ToolHeader header) internal pure returns (address) {
        unchecked {
            return address(uint160(ToolHeader.unwrap(header) * (ToolHeader.unwrap(header) >> GATED_SHIFT & 1)));
        }
    }

    /// @dev Who registered the tool. Reads a second slot if it is gated.
    function creator(ToolHeader header, uint256 toolId) internal view returns (address) {
        return _isGated(header) ? _movedCreator(toolId) : address(uint160(ToolHeader.unwrap(header)));
    }

    /// @dev Creator and predicate at once.
    function accounts(ToolHeader header, uint256 toolId) internal view returns (address by, address gate) {
        by = address(uint160(ToolHeader.unwrap(header)));
        if (_isGated(header)) (by, gate) = (_movedCreator(toolId), by);
    }

    /// @dev The hash of a live tool's manifest.
    function manifestHash(uint256 toolId) internal view returns (bytes32) {
        return bytes32(_load(_slotOf(toolId) | HASH_OFFSET));
    }

    /// @dev The metadata URI of a live tool, in new memory.
    function metadataURI(ToolHeader header, uint256 toolId) internal view returns (string memory uri) {
        uint256 length = _textLength(ToolHeader.unwrap(header));
        uint256 hostLength = ToolHeader.unwrap(header) >> HOST_LENGTH_SHIFT & HOST_LENGTH_MASK;
        uint256 slot = _slotOf(toolId);

        uint256 text;
        (uri, text) = URITextLib.begin(length, hostLength);
        URITextLib.setWord(text, 0, ToolHeader.unwrap(header) << (256 - HEAD_TEXT_SHIFT - 8 * HEAD_TEXT_BYTES));
        for (uint256 i = HEAD_TEXT_BYTES; i < length; i = _next(i)) {
            URITextLib.setWord(text, i, _load(_tailSlot(slot, i)));
        }
        URITextLib.finish(uri, text, hostLength);
    }

    /* WRITING */

    /// @dev Writes a new tool under the next id. No chain lives to see the counter reach 2**64.
    function create(address by, string calldata uri, bytes32 hash, address gate) internal returns (uint256 toolId) {
        unchecked {
            toolId = count() + 1;
        }
        _store(COUNT_SLOT, toolId);
        if (gate == address(0)) {
            _write(toolId, 0, LIVE | uint160(by), uri, hash);
        } else {
            _write(toolId, 0, LIVE | GATED | uint160(gate), uri, hash);
            _store(_slotOf(toolId) | CREATOR_OFFSET, uint160(by));
        }
    }

    /// @dev Sets URI and hash of a live tool. Writes only what differs and tells whether anything did.
    function setMetadata(ToolHeader header, uint256 toolId, string calldata uri, bytes32 hash)
        internal
        returns (bool changed)
    {
        uint256 old = ToolHeader.unwrap(header);
        return _write(toolId, old, old & (LIVE | GATED | ADDRESS_MASK), uri, hash);
    }

    /// @dev Sets another predicate for a live tool. The creator, `by`, moves between header and slot 1 as needed.
    function setPredicate(ToolHeader header, uint256 toolId, address by, address gate) internal {
        uint256 slot = _slotOf(toolId);
        uint256 rest = ToolHeader.unwrap(header) & ~(GATED | ADDRESS_MASK);
        if (gate == address(0)) {
            _store(slot, rest | uint160(by));
            _store(slot | CREATOR_OFFSET, 0);
        } else {
            _store(slot, rest | GATED | uint160(gate));
            if (!_isGated(header)) _store(slot | CREATOR_OFFSET, uint160(by));
        }
    }

    /// @dev Zeroes every slot of a live tool but the first, which becomes its tombstone.
    function remove(ToolHeader header, uint256 toolId) internal {
        uint256 slot = _slotOf(toolId);
        _store(slot, REMOVED);
        if (_isGated(header)) _store(slot | CREATOR_OFFSET, 0);
        _store(slot | HASH_OFFSET, 0);
        uint256 length = _textLength(ToolHeader.unwrap(header));
        for (uint256 i = HEAD_TEXT_BYTES; i < length; i = _next(i)) {
            _store(_tailSlot(slot, i), 0);
        }
    }

    /* TEXT */

    /// @dev Writes URI and hash over those of a tool with header `old`, zero for a new tool. `kept` are the header's bits
    ///      that have nothing to do with the URI.
    function _write(uint256 toolId, uint256 old, uint256 kept, string calldata uri, bytes32 hash)
        private
        returns (bool)
    {
        uint256 slot = _slotOf(toolId);
        (uint256 text, uint256 length, uint256 hostLength) = URITextLib.abbreviate(uri);
        uint256 headText = URITextLib.word(text, 0) >> (256 - 8 * HEAD_TEXT_BYTES);
        uint256 header =
            kept | hostLength << HOST_LENGTH_SHIFT | length << TEXT_LENGTH_SHIFT | headText << HEAD_TEXT_SHIFT;

        uint256 difference = old ^ header;
        if (difference != 0) _store(slot, header);
        difference |= _replace(slot | HASH_OFFSET, uint256(hash));

        uint256 i = HEAD_TEXT_BYTES;
        for (; i < length; i = _next(i)) {
            difference |= _replace(_tailSlot(slot, i), URITextLib.word(text, i));
        }
        for (uint256 oldLength = _textLength(old); i < oldLength; i = _next(i)) {
            _store(_tailSlot(slot, i), 0);
        }
        return difference != 0;
    }

    function _textLength(uint256 header) private pure returns (uint256) {
        return header >> TEXT_LENGTH_SHIFT & TEXT_LENGTH_MASK;
    }

    /// @dev The slot of the text's bytes `i` to `i + 31`, where `i` is 9, 41 and so on.
    function _tailSlot(uint256 slot, uint256 i) private pure returns (uint256) {
        unchecked {
            return slot + TAIL_OFFSET + (i >> 5);
        }
    }

    function _next(uint256 i) private pure returns (uint256) {
        unchecked {
            return i + 32;
        }
    }

    /* WORDS */

    function _slotOf(uint256 toolId) private pure returns (uint256) {
        return toolId << SLOT_BITS;
    }

    function _movedCreator(uint256 toolId) private view returns (address) {
        return address(uint160(_load(_slotOf(toolId) | CREATOR_OFFSET)));
    }

    function _isGated(ToolHeader header) private pure returns (bool) {
        return ToolHeader.unwrap(header) & GATED != 0;
    }

    /// @dev Reading first costs nothing: a slot is paid for being cold once, by whichever comes first.
    function _replace(uint256 slot, uint256 value) private returns (uint256 difference) {
        difference = _load(slot) ^ value;
        if (difference != 0) _store(slot, value);
    }

    function _load(uint256 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _store(uint256 slot, uint256 value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
