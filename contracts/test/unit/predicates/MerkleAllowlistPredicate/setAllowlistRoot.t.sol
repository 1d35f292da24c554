// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { AllowlistFixture } from "test/support/AllowlistFixture.sol";

contract SetAllowlistRootTest is AllowlistFixture {
    function test_RevertWhen_CallerIsNotCreator() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, eve));
        vm.prank(eve);
        predicate.setAllowlistRoot(toolId, keccak256("root"));
    }

    function test_RevertGiven_ToolDoesNotExist() external {
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 99));
        predicate.setAllowlistRoot(99, keccak256("root"));
        _deregister(toolId);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        vm.prank(creator);
        predicate.setAllowlistRoot(toolId, keccak256("root"));
    }

    function test_WhenRootIsGiven() external {
        assertEq(predicate.getAllowlistRoot(toolId), 0, "root before configuration");
        vm.expectEmit(address(predicate));
        emit IMerkleAllowlistPredicate.AllowlistRootSet(toolId, keccak256("root"));
        _setRoot(toolId, keccak256("root"));
        assertEq(predicate.getAllowlistRoot(toolId), keccak256("root"), "root");
        assertEq(predicate.getAllowlistRoot(otherId), 0, "another tool's root changed");
        _setRoot(toolId, keccak256("another"));
        assertEq(predicate.getAllowlistRoot(toolId), keccak256("another"), "root after the second call");
    }

    function test_WhenRootIsZero() external {
        _setRoot(toolId, keccak256("root"));
        vm.expectEmit(address(predicate));
        emit IMerkleAllowlistPredicate.AllowlistRootSet(toolId, 0);
        _setRoot(toolId, 0);
        assertEq(predicate.getAllowlistRoot(toolId), 0, "root");
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
    }
}
