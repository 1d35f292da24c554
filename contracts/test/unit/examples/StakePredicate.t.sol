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

    function test_CannotTell_Given_NeverSetUp() public {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        predicate.hasAccess(toolId, agent, "");
        _assertAnswer(false, false);
    }

    function test_SaysNo_Given_VaultHasNoCode() public {
        _set(makeAddr("no vault"));
        _assertAnswer(true, false);
    }

    function test_CannotTell_Given_VaultReverts() public {
        _set(address(new RevertingVault()));
        _assertAnswer(false, false);
    }

    function test_SaysNo_When_StakeIsTooSmall() public {
        _set(address(vault));
        vm.prank(agent);
        vault.stake(99);
        _assertAnswer(true, false);
    }

    function test_SaysYes_When_StakeIsEnough() public {
        _set(address(vault));
        vm.prank(agent);
        vault.stake(100);
        _assertAnswer(true, true);
    }

    function test_TellsWhatItRequires() public {
        _set(address(vault));
        (AccessRequirement[] memory requirements,) = predicate.getRequirements(toolId);
        assertEq(requirements.length, 1, "one requirement");
        assertEq(requirements[0].kind, bytes4(keccak256("staked()")), "the kind is the marker's id");
        assertEq(requirements[0].kind, type(IStaked).interfaceId, "the kind is the marker's id");
        assertEq(requirements[0].data, abi.encode(address(vault), uint96(100)), "vault and amount");
    }

    function test_RevertWhen_MinimumIsZero() public {
        vm.prank(creator);
        vm.expectRevert(StakePredicate.MinStakeIsZero.selector);
        predicate.setStake(toolId, address(vault), 0);
    }

    function _set(address at) internal {
        vm.prank(creator);
        predicate.setStake(toolId, at, 100);
    }

    function _assertAnswer(bool ok, bool granted) internal view {
        (bool gotOk, bool gotGranted) = registry.tryHasAccess(toolId, agent, "");
        assertEq(gotOk, ok, "whether there is an answer");
        assertEq(gotGranted, granted, "the answer");
    }
}
