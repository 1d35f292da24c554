// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateGetRequirementsTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
    }

    function test_GivenTokens() external {
        // B-03
        _assertListed(TokenLists.even(1, 1, 0));
        _assertListed(TokenLists.even(2, 16, 1));
        _assertListed(TokenLists.even(11, 1, 2));
        _assertListed(TokenLists.even(1, TokenLists.maxIds(IERC1155OwnerPredicate(predicate), 0), 3));
        CollectionTokens[] memory mixed = TokenLists.even(3, 2, 4);
        mixed[0].tokenIds = TokenLists.ids(1, type(uint256).max);
        mixed[2].tokenIds = TokenLists.ids(5, 0);
        _assertListed(mixed);
    }

    function _assertListed(CollectionTokens[] memory list) private {
        _configure(abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list)));
        uint256 count = 0;
        for (uint256 i = 0; i < list.length; i++) {
            count += list[i].tokenIds.length;
        }
        AccessRequirement[] memory expected = new AccessRequirement[](count);
        count = 0;
        for (uint256 i = 0; i < list.length; i++) {
            for (uint256 j = 0; j < list[i].tokenIds.length; j++) {
                expected[count++] = AccessRequirement({
                    kind: 0xcb429230,
                    data: abi.encode(list[i].collection, list[i].tokenIds[j]),
                    label: "Hold this ERC-1155 token"
                });
            }
        }
        assertRequirements(expected, RequirementLogic.OR);
    }
}
