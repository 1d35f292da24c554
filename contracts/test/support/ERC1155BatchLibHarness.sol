// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1155BatchLib } from "src/libraries/ERC1155BatchLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract ERC1155BatchLibHarness {
    /// @dev Also checks the memory the library writes.
    function holdsAny(
        address collection,
        uint256 stipend,
        address account,
        uint256[] memory words,
        uint256 from,
        uint256 count
    ) external view returns (bool ok, bool holds) {
        if (collection.code.length == 0) return (false, false);
        bytes32 before = keccak256(abi.encode(words));
        uint256 start = _freeMemory();
        uint256 size = 128 * count + 1024;
        DirtyMemory.fill(size);
        (ok, holds) = ERC1155BatchLib.holdsAny(
            collection, stipend, ERC1155BatchLib.encodeCall(account, words, from, count), count
        );
        uint256 free = _freeMemory();
        require(free % 32 == 0, "the free memory pointer is not aligned");
        require(free < start + size, "too much memory was allocated");
        require(_wordAt(free) == type(uint256).max, "free memory was written");
        require(keccak256(abi.encode(words)) == before, "the words were modified");
    }

    function _freeMemory() private pure returns (uint256 at) {
        return _wordAt(0x40);
    }

    function _wordAt(uint256 at) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(at)
        }
    }
}
