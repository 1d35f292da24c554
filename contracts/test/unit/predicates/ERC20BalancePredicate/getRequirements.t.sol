// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateGetRequirementsTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC20BalancePredicate", abi.encode(registry)));
    }

    function test_GivenToken() external {
        // B-03
        _configure(abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, stranger, 12 ether)));
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({
            kind: 0x812b02ee, data: abi.encode(stranger, 12 ether), label: "Hold at least this amount of this token"
        });
        assertRequirements(expected, RequirementLogic.AND);
    }
}
