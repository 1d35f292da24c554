// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateGetRequirementsTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
    }

    function test_GivenCollection() external {
        // B-03
        _configure(abi.encodeCall(ISubscriptionPredicate.configureToolGating, (tool, stranger, 200)));
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({
            kind: 0x44387cc2,
            data: abi.encode(stranger, uint8(200)),
            label: "Hold a running subscription of this tier or higher"
        });
        assertRequirements(expected, RequirementLogic.AND);
    }
}
