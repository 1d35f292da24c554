// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement } from "src/interfaces/IAccessPredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { IStaked, IVault, StakePredicate } from "test/examples/StakePredicate.sol";

contract Vault is IVault {
    mapping(address account => uint256) public stakeOf;

    function stake(uint256 amount) external {
        stakeOf[msg.sender] += amount;
    }
}

contract RevertingVault {
    function stakeOf(address) external pure {
        revert("closed");
    }
}

contract StakePredicateTest is BaseTest {
    StakePredicate internal predicate;
    Vault internal vault;
    uint256 internal toolId;

    function setUp() public override {
        super.setUp();
        predicate = new StakePredicate(registry);
        vault = new Vault();
        vm.prank(creator);
        toolId = registry.registerTool("https://a.example/x.json", keccak256("x"), address(predicate));
    }

    function test_RevertGiven_NotConfigured() public {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        predicate.hasAccess(toolId, agent, "");
        _assertResult(false, false);
    }

    function test_RevertGiven_VaultLosesItsCode() public {
        _set(address(vault));
        vm.etch(address(vault), "");
        _assertResult(false, false);
    }

    function test_RevertWhen_VaultHasNoCode() public {
        vm.prank(creator);
        vm.expectRevert(abi.encodeWithSelector(StakePredicate.VaultNoCode.selector, agent));
        predicate.setStake(toolId, agent, 100);
    }

    function test_Denies_WhenAccountIsZero() public {
        _set(address(vault));
        vm.prank(address(0));
        vault.stake(100);
        assertFalse(predicate.hasAccess(toolId, address(0), ""), "the zero address was granted access");
    }

    function test_GasNeededIsSufficient() public {
        _set(address(vault));
        uint256 needed = predicate.gasNeeded(toolId);
        assertFalse(predicate.hasAccess{ gas: needed }(toolId, agent, ""), "not denied");
    }

    function test_RevertGiven_VaultReverts() public {
        _set(address(new RevertingVault()));
        _assertResult(false, false);
    }

    function test_Denies_WhenStakeIsTooSmall() public {
        _set(address(vault));
        vm.prank(agent);
        vault.stake(99);
        _assertResult(true, false);
    }

    function test_Grants_WhenStakeIsEnough() public {
        _set(address(vault));
        vm.prank(agent);
        vault.stake(100);
        _assertResult(true, true);
    }

    function test_GetRequirements() public {
        _set(address(vault));
        (AccessRequirement[] memory requirements,) = predicate.getRequirements(toolId);
        assertEq(requirements.length, 1, "number of requirements");
        assertEq(requirements[0].kind, bytes4(keccak256("staked()")), "kind is not the marker's interface id");
        assertEq(requirements[0].kind, type(IStaked).interfaceId, "kind is not the marker's interface id");
        assertEq(requirements[0].data, abi.encode(address(vault), uint96(100)), "data");
    }

    function test_RevertWhen_MinStakeIsZero() public {
        vm.prank(creator);
        vm.expectRevert(StakePredicate.MinStakeIsZero.selector);
        predicate.setStake(toolId, address(vault), 0);
    }

    function _set(address at) internal {
        vm.prank(creator);
        predicate.setStake(toolId, at, 100);
    }

    function _assertResult(bool ok, bool granted) internal view {
        (bool gotOk, bool gotGranted) = registry.tryHasAccess(toolId, agent, "");
        assertEq(gotOk, ok, "ok");
        assertEq(gotGranted, granted, "result");
    }
}
