// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721Holding } from "src/interfaces/IRequirementTypes.sol";

/// @dev Grants access. The offsets in its requirements list all point to one entry, so the list is cheap to return and
///      expensive to decode.
contract AliasedRequirementsPredicate {
    uint256 private immutable _ENTRIES;
    uint256 private immutable _DATA_BYTES;
    uint256 private immutable _LABEL_BYTES;
    uint256 private immutable _LOGIC;

    constructor(uint256 entries, uint256 dataBytes, uint256 labelBytes, uint256 logic) {
        _ENTRIES = entries;
        _DATA_BYTES = dataBytes;
        _LABEL_BYTES = labelBytes;
        _LOGIC = logic;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function getRequirements(uint256) external view {
        bytes memory entry = abi.encode(type(IERC721Holding).interfaceId, new bytes(_DATA_BYTES), _label());
        uint256 entries = _ENTRIES;
        uint256 logic = _LOGIC;
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            mstore(ptr, 0x40)
            mstore(add(ptr, 0x20), logic)
            mstore(add(ptr, 0x40), entries)
            let at := add(ptr, 0x60)
            let end := add(at, shl(5, entries))
            for { } lt(at, end) { at := add(at, 0x20) } { mstore(at, shl(5, entries)) }
            mcopy(end, add(entry, 0x20), mload(entry))
            return(ptr, sub(add(end, mload(entry)), ptr))
        }
    }

    function _label() private view returns (string memory) {
        bytes memory label = new bytes(_LABEL_BYTES);
        for (uint256 i = 0; i < label.length; i++) {
            label[i] = "a";
        }
        return string(label);
    }
}
