// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { GasBudgetRouter } from "test/mocks/GasBudgetRouter.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { RevertingWithTruePredicate } from "test/mocks/RevertingWithTruePredicate.sol";
import { AccessCheckTest } from "test/unit/ToolRegistry/base/AccessCheck.t.sol";

contract HasAccessTest is AccessCheckTest {
    function test_GivenToolIsOpen() external {
        // C-01
        uint256 toolId = _register(address(0));
        vm.startStateDiffRecording();
        assertTrue(registry.hasAccess(toolId, agent, "junk"), "an open tool denied access");
        assertOnlyStaticProbes(address(registry), address(0), 0);
    }

    function test_GivenToolIsGated() external {
        // C-09
        address[7] memory predicates = [
            address(grantingPredicate),
            address(new DenyingPredicate()),
            address(new NonBooleanReturnPredicate(0xffffffff)),
            address(new RevertingWithTruePredicate()),
            address(new OversizeReturnPredicate(33)),
            address(new GasBurner()),
            makeAddr("no code")
        ];
        for (uint256 i = 0; i < predicates.length; i++) {
            uint256 toolId = _register(predicates[i]);
            (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, "");
            assertEq(registry.hasAccess(toolId, agent, ""), ok && granted, "hasAccess differs from ok && granted");
            assertEq(registry.hasAccess(toolId, agent, ""), i == 0, "only the first predicate grants access");
        }
    }

    function test_WhenCallerIsNotAccount() external {
        uint256 toolId = _register(address(grantingPredicate));
        address[4] memory callers = [agent, eve, creator, address(0)];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.prank(callers[i]);
            assertTrue(registry.hasAccess(toolId, agent, ""), "the result depends on the caller");
        }
    }

    /* ROUTER */

    function test_GivenRouterWithGasBudget_WhenAccessIsGranted() external {
        // C-15
        GasBudgetRouter router = new GasBudgetRouter(registry);
        uint256 toolId = _register(address(grantingPredicate));
        vm.prank(agent);
        router.route(toolId, "");
        assertEq(router.routed(), 1, "the router denied the agent");
    }

    function test_GivenRouterWithGasBudget_WhenAccessIsDenied() external {
        // C-15
        GasBudgetRouter router = new GasBudgetRouter(registry);
        uint256 denied = _register(address(new DenyingPredicate()));
        uint256 removed = _register(address(grantingPredicate));
        _deregister(removed);
        uint256[3] memory ids = [denied, removed, removed + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            vm.expectRevert(abi.encodeWithSelector(GasBudgetRouter.AccessDenied.selector, ids[i], agent));
            vm.prank(agent);
            router.route(ids[i], "");
        }
    }

    function test_GivenRouterWithGasBudget_WhenPredicateBurnsGas() external {
        // C-15
        uint256 toolId = _register(address(new GasBurner()));
        _assertBudgetHolds(new GasBudgetRouter(registry), toolId);
    }

    function test_GivenRouterWithGasBudget_WhenRegistryBurnsGas() external {
        // C-15
        _assertBudgetHolds(new GasBudgetRouter(IToolRegistry(address(new GasBurner()))), 1);
    }

    /* HELPERS */

    function _assertBudgetHolds(GasBudgetRouter router, uint256 toolId) private {
        ContractAccount caller = new ContractAccount();
        (bool success, bytes memory returndata, uint256 gasUsed) =
            caller.execute(address(router), AMPLE_GAS, abi.encodeCall(router.route, (toolId, "")));
        assertRevert(
            success, returndata, abi.encodeWithSelector(GasBudgetRouter.AccessDenied.selector, toolId, address(caller))
        );
        assertLe(gasUsed, router.ACCESS_GAS_BUDGET() + 10_000, "the gas budget was exceeded");
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _selector() internal pure override returns (bytes4) {
        return IToolRegistry.hasAccess.selector;
    }

    function _grantedReturn() internal pure override returns (bytes memory) {
        return abi.encode(true);
    }
}
