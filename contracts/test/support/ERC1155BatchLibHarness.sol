// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1155BatchLib } from "src/libraries/ERC1155BatchLib.sol";

contract ERC1155BatchLibHarness {
    /// @dev Makes sure besides that memory is left in order.
    function holdsAny(
        address collection,
        uint256 stipend,
        address account,
        uint256[] memory words,
        uint256 from,
        uint256 count
    ) external view returns (bool answered, bool holds) {
        if (collection.code.length == 0) return (false, false);
        bytes32 before = keccak256(abi.encode(words));
        (answered, holds) = ERC1155BatchLib.holdsAny(collection, stipend, account, words, from, count);
        uint256 free;
        assembly ("memory-safe") {
            free := mload(0x40)
        }
        require(free % 32 == 0, "free memory is not aligned");
        require(keccak256(new bytes(64)) == keccak256(abi.encode(0, 0)), "free memory is not clean");
        require(keccak256(abi.encode(words)) == before, "the words were changed");
    }
}
