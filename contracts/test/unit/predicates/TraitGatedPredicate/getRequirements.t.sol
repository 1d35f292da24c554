// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract TraitGatedPredicateGetRequirementsTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("TraitGatedPredicate", abi.encode(registry)));
    }

    function test_GivenTrait() external {
        // B-03
        uint256 max = ITraitGatedPredicate(predicate).MAX_VALUES();
        uint256[3] memory counts = [uint256(1), 2, max];
        for (uint256 i = 0; i < counts.length; i++) {
            bytes32[] memory values = new bytes32[](counts[i]);
            for (uint256 j = 0; j < values.length; j++) {
                values[j] = keccak256(abi.encode(j));
            }
            _configure(
                abi.encodeCall(ITraitGatedPredicate.configureToolTrait, (tool, stranger, agent, "color", values))
            );
            AccessRequirement[] memory expected = new AccessRequirement[](1);
            expected[0] = AccessRequirement({
                kind: 0x37d8dc22,
                data: abi.encode(stranger, agent, bytes32("color"), values),
                label: "Hold a token whose trait has one of these values, and name it in data"
            });
            assertRequirements(expected, RequirementLogic.AND);
        }
    }
}
