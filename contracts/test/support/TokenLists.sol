// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";

/// @dev Lists of ERC-1155 tokens and their gas cost.
library TokenLists {
    /// @dev `groups` collections without code, with `count` ids each.
    function even(uint256 groups, uint256 count, uint256 salt) internal pure returns (CollectionTokens[] memory list) {
        list = new CollectionTokens[](groups);
        for (uint256 i = 0; i < groups; i++) {
            list[i].collection = address(uint160(uint256(keccak256(abi.encode(i, salt)))));
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

    function gasOf(IERC1155OwnerPredicate predicate, CollectionTokens[] memory list)
        internal
        view
        returns (uint256 sum)
    {
        for (uint256 i = 0; i < list.length; i++) {
            sum += predicate.gasToAsk(list[i].tokenIds.length);
        }
    }

    /// @dev The maximum number of ids of one collection if `usedGas` is already used.
    function maxIds(IERC1155OwnerPredicate predicate, uint256 usedGas) internal view returns (uint256 count) {
        while (usedGas + predicate.gasToAsk(count + 1) <= predicate.MAX_GAS()) {
            count++;
        }
    }
}
