// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { GasBudgetRouter } from "test/mocks/GasBudgetRouter.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { RevertingWithTruePredicate } from "test/mocks/RevertingWithTruePredicate.sol";

contract HasAccessTest is BaseTest {
    function test_RevertWhen_AccountHasHighBits() external {
        _register(address(0));
        _register(address(yesPredicate));
        for (uint256 bit = 160; bit < 256; bit++) {
            for (uint256 toolId = 1; toolId <= 2; toolId++) {
                _assertBareRevert(_encoded(toolId, uint256(uint160(agent)) | 2 ** bit, 0x60, 0, ""));
            }
        }
    }

    function test_RevertWhen_DataAreOutOfRange() external {
        _register(address(0));
        _register(address(yesPredicate));
        uint256[5] memory numbers = [0xc4, 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < numbers.length; i++) {
            for (uint256 toolId = 1; toolId <= 2; toolId++) {
                _assertBareRevert(_encoded(toolId, 1, numbers[i], 32, "32 bytes of data, neither more.."));
                _assertBareRevert(_encoded(toolId, 1, 0x60, numbers[i], "32 bytes of data, neither more.."));
            }
        }
    }

    function test_RevertWhen_CalldataIsTruncated() external {
        _register(address(yesPredicate));
        bytes memory whole = _encoded(1, 1, 0x60, 4, "data");
        for (uint256 length = 0; length < whole.length; length++) {
            bytes memory head = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                head[i] = whole[i];
            }
            _assertBareRevert(head);
        }
    }

    function test_WhenBytesTrail() external {
        // C-11
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        _register(address(predicate));
        predicate.expect(address(registry), abi.encodeCall(IAccessPredicate.hasAccess, (1, agent, "data")));
        bytes memory behind = abi.encodePacked(type(uint256).max, type(uint256).max);
        (bool success, bytes memory answer) =
            _call(stranger, _encoded(1, uint160(agent), 0x60, 4, bytes.concat("data", behind)));
        assertTrue(success, "untidy calldata were refused");
        assertEq(answer, abi.encode(true), "untidy calldata reached the predicate");
    }

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11, C-10
        _register(address(yesPredicate));
        uint256[4] memory ids = [0, 2, 2 ** 64 + 1, 2 ** 255 + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            (bool success, bytes memory returndata) =
                _call(agent, abi.encodeCall(registry.hasAccess, (ids[i], agent, "")));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]));
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, C-10
        for (uint256 toolId = 1; toolId <= 2; toolId++) {
            _register(toolId == 1 ? address(0) : address(yesPredicate));
            _deregister(toolId);
            (bool success, bytes memory returndata) =
                _call(creator, abi.encodeCall(registry.hasAccess, (toolId, agent, "")));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }

    function test_GivenToolIsOpen() external {
        // C-01
        uint256 toolId = _register(address(0));
        vm.startStateDiffRecording();
        assertTrue(registry.hasAccess(toolId, agent, "junk"), "an open tool is not open");
        assertOnlyStaticProbes(address(registry), address(0), 0);
    }

    function test_GivenToolIsGated() external {
        // C-09
        address[7] memory predicates = [
            address(yesPredicate),
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
            assertEq(registry.hasAccess(toolId, agent, ""), ok && granted, "hasAccess is not ok and granted");
            assertEq(registry.hasAccess(toolId, agent, ""), i == 0, "only the first predicate says yes");
        }
    }

    function test_WhenSomebodyElseAsks() external {
        uint256 toolId = _register(address(yesPredicate));
        address[4] memory callers = [agent, stranger, creator, address(0)];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.prank(callers[i]);
            assertTrue(registry.hasAccess(toolId, agent, ""), "the answer depends on who asks");
        }
    }

    /* ROUTER */

    function test_GivenRouterWithGasBudget_WhenAccessIsGranted() external {
        // C-15
        GasBudgetRouter router = new GasBudgetRouter(registry);
        uint256 toolId = _register(address(yesPredicate));
        vm.prank(agent);
        router.route(toolId, "");
        assertEq(router.routed(), 1, "the router did not let the agent in");
    }

    function test_GivenRouterWithGasBudget_WhenAccessIsDenied() external {
        // C-15
        GasBudgetRouter router = new GasBudgetRouter(registry);
        uint256 denied = _register(address(new DenyingPredicate()));
        uint256 removed = _register(address(yesPredicate));
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

    /* SUPPORT */

    function _assertBudgetHolds(GasBudgetRouter router, uint256 toolId) private {
        ContractAccount caller = new ContractAccount();
        (bool success, bytes memory returndata, uint256 gasUsed) =
            caller.execute(address(router), PLENTY, abi.encodeCall(router.route, (toolId, "")));
        assertRevert(
            success, returndata, abi.encodeWithSelector(GasBudgetRouter.AccessDenied.selector, toolId, address(caller))
        );
        assertLe(gasUsed, router.ACCESS_GAS_BUDGET() + 10_000, "the budget did not hold");
    }

    function _encoded(uint256 toolId, uint256 account, uint256 offset, uint256 length, bytes memory data)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(IToolRegistry.hasAccess.selector, toolId, account, offset, length, data);
    }

    function _assertBareRevert(bytes memory data) private {
        (bool success, bytes memory returndata) = _call(stranger, data);
        assertRevert(success, returndata, "");
    }
}
