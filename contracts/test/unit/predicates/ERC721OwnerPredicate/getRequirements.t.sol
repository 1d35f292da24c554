// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateGetRequirementsTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
    }

    function test_GivenCollections() external {
        // B-03
        uint256 max = IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
        for (uint256 count = 1; count <= max; count++) {
            address[] memory list = new address[](count);
            AccessRequirement[] memory expected = new AccessRequirement[](count);
            for (uint256 i = 0; i < count; i++) {
                list[i] = address(uint160(uint256(keccak256(abi.encode(i, count)))));
                expected[i].kind = 0xbdf8c428;
                expected[i].data = abi.encode(list[i]);
                expected[i].label = "Hold a token of this ERC-721 collection";
            }
            _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
            assertRequirements(expected, RequirementLogic.OR);
        }
    }
}
