// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";

/// @dev Lists of ERC-1155 tokens.
library TokenLists {
    /// @dev `groups` times the collection, with `count` ids each.
    function even(address collection, uint256 groups, uint256 count, uint256 salt)
        internal
        pure
        returns (CollectionTokens[] memory list)
    {
        list = new CollectionTokens[](groups);
        for (uint256 i = 0; i < groups; i++) {
            list[i].collection = collection;
            list[i].tokenIds = ids(count, uint256(keccak256(abi.encode(salt, i))) >> 1);
        }
    }

    /// @dev `count` consecutive ids.
    function ids(uint256 count, uint256 first) internal pure returns (uint256[] memory list) {
        list = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = first + i;
        }
    }

    /// @dev 4 units per collection and 1 per id.
    function unitsOf(CollectionTokens[] memory list) internal pure returns (uint256 units) {
        for (uint256 i = 0; i < list.length; i++) {
            units += 4 + list[i].tokenIds.length;
        }
    }
}
