// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "src/interfaces/IRequirementTypes.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";

contract AlwaysDenyHasAccessTest is BaseTest {
    IPredicate private predicate;

    function setUp() public override {
        super.setUp();
        predicate = IPredicate(_deployArtifact("AlwaysDenyPredicate", ""));
    }

    function test_Denies() external view {
        address[4] memory accounts = [address(0), agent, creator, address(predicate)];
        for (uint256 i = 0; i < accounts.length; i++) {
            assertFalse(predicate.hasAccess(i, accounts[i], ""), "an account was granted access");
            assertFalse(
                predicate.hasAccess(type(uint256).max - i, accounts[i], new bytes(1000)), "access was granted with data"
            );
        }
    }

    function test_PausesAndResumes() external {
        // B-16
        uint256 toolId = _register(address(grantingPredicate));
        assertAccess(registry, toolId, agent, "", true, true);
        vm.prank(creator);
        registry.setAccessPredicate(toolId, address(predicate));
        assertAccess(registry, toolId, agent, "", true, false);
        assertAccess(registry, toolId, creator, "", true, false);
        assertConfig(registry, toolId, _config(creator, METADATA_URI, MANIFEST_HASH, address(predicate)));
        vm.prank(creator);
        registry.setAccessPredicate(toolId, address(grantingPredicate));
        assertAccess(registry, toolId, agent, "", true, true);
        assertConfig(registry, toolId, _config(creator, METADATA_URI, MANIFEST_HASH, address(grantingPredicate)));
    }

    function test_Identity() external view {
        // B-02, B-04
        assertIdentity(address(predicate), "AlwaysDenyPredicate", false);
    }

    function test_GetRequirements() external view {
        // B-03
        (AccessRequirement[] memory entries, RequirementLogic logic) = predicate.getRequirements(1);
        assertEq(entries.length, 1, "entries");
        assertEq(entries[0].kind, type(IAlwaysDenied).interfaceId, "kind");
        assertEq(entries[0].data, "", "data");
        assertGt(bytes(entries[0].label).length, 0, "label");
        assertEq(uint256(logic), uint256(RequirementLogic.AND), "logic");
    }
}
