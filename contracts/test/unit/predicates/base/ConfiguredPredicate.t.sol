// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { AccessPredicateTest } from "test/unit/predicates/base/AccessPredicate.t.sol";

/// @dev Tests that every configurable predicate must pass. The tests of each predicate inherit this contract.
abstract contract ConfiguredPredicateTest is AccessPredicateTest {
    /// @dev A configuration call that grants `agent` access and denies `eve`.
    function _configuration(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev A configuration call that denies `agent`.
    function _otherConfiguration(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev A call to the getter of the configuration.
    function _getter(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev The getter's return data for a tool without configuration.
    function _emptyGetterReturn() internal pure virtual returns (bytes memory returndata);

    /// @dev Offsets, in the arguments of `_configuration`, of two bytes that must be zero (the offsets may be equal).
    function _paddingOffsets() internal pure virtual returns (uint256[2] memory);

    /// @dev The call data with which `agent` is granted access.
    function _data() internal pure virtual returns (bytes memory) {
        return "";
    }

    function test_Registry() external {
        assertEq(address(IConfiguredPredicate(predicate).REGISTRY()), address(registry), "registry");
        bytes memory initCode = bytes.concat(_artifactCode(_predicateName()), abi.encode(address(0)));
        vm.expectRevert(IConfiguredPredicate.ZeroRegistry.selector);
        this.deploy(initCode);
    }

    /// @dev Reverts with the constructor's revert data.
    function deploy(bytes memory initCode) external {
        assembly ("memory-safe") {
            if iszero(create(0, add(initCode, 0x20), mload(initCode))) {
                returndatacopy(0x00, 0x00, returndatasize())
                revert(0x00, returndatasize())
            }
        }
    }

    /* AUTHORIZATION */

    function test_RevertGiven_ToolDoesNotExist() external {
        uint256[4] memory ids = [0, tool + 1, 2 ** 64 + tool, type(uint256).max];
        for (uint256 i = 0; i < ids.length; i++) {
            _assertReverts(_configuration(ids[i]), abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]));
            _assertNotConfigured(ids[i]);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        _deregister(tool);
        _assertReverts(_configuration(tool), abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, tool));
        _assertNotConfigured(tool);
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        vm.prank(eve);
        uint256 otherTool = registry.registerTool(METADATA_URI, MANIFEST_HASH, predicate);
        address[6] memory callers = [eve, agent, address(0), address(registry), predicate, address(this)];
        for (uint256 i = 0; i < callers.length; i++) {
            (bool success, bytes memory returndata) = _callPredicate(callers[i], _configuration(tool));
            assertRevert(
                success,
                returndata,
                abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, tool, callers[i])
            );
        }
        _assertNotConfigured(tool);
        _assertReverts(
            _configuration(otherTool),
            abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, otherTool, creator)
        );
    }

    function test_WhenToolDoesNotUsePredicate() external {
        uint256 open = tool - 1;
        _configure(_configuration(open));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (open, agent, _data())));
        assertTrue(success, "call failed");
        assertEq(returndata, abi.encode(true), "the configuration has no effect");
        _assertNotConfigured(tool);

        vm.prank(creator);
        registry.setAccessPredicate(open, predicate);
        assertAccess(registry, open, agent, _data(), true, true);
        assertAccess(registry, open, eve, _data(), true, false);
    }

    function test_RevertWhen_ArgumentHasDirtyUpperBits() external {
        for (uint256 i = 0; i < 2; i++) {
            bytes memory call = _configuration(tool);
            call[4 + _paddingOffsets()[i]] = 0x01;
            _assertReverts(call, "");
        }
        _assertNotConfigured(tool);
    }

    function test_GivenOtherTool() external {
        _configure(_configuration(tool));
        bytes memory configuration = _configurationOf(tool);
        uint256 other = _register(predicate);
        _configure(_otherConfiguration(other));
        assertEq(_configurationOf(tool), configuration, "another tool's configuration changed this one");
        _configure(_configuration(other));
        _configure(_otherConfiguration(tool));
        assertEq(_configurationOf(other), configuration, "another tool's configuration changed this one");
    }

    /* NO OR ANOTHER CONFIGURATION */

    function test_GivenNotConfigured() external view {
        _assertNotConfigured(tool);
        assertResult(agent, _data(), abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
        assertResult(agent, "junk", abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertRevert(success, returndata, abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
    }

    function test_GivenConfigurationIsReplaced() external {
        for (uint256 i = 0; i < 2; i++) {
            _configure(_configuration(tool));
            assertResult(agent, _data(), abi.encode(true));
            _configure(_otherConfiguration(tool));
            assertResult(agent, _data(), abi.encode(false));
        }
    }

    /* CONFIGURED TOOL */

    function test_WhenAccountIsZero() external {
        assertResult(address(0), _data(), abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
        _configure(_configuration(tool));
        assertResult(address(0), _data(), abi.encode(false));
        assertResult(address(0), "junk", abi.encode(false));
    }

    function test_WhenCallerVaries() external {
        // B-10: the result depends on the account, not on the caller.
        _configure(_configuration(tool));
        address[5] memory senders = [agent, eve, creator, address(registry), address(0)];
        for (uint256 i = 0; i < senders.length; i++) {
            vm.prank(senders[i], senders[i]);
            assertTrue(IAccessPredicate(predicate).hasAccess(tool, agent, _data()), "denied because of the sender");
            vm.prank(senders[i], senders[i]);
            assertFalse(IAccessPredicate(predicate).hasAccess(tool, eve, _data()), "granted because of the sender");
        }
    }

    function test_GetRequirements_Encoding() external {
        // B-03
        _configure(_configuration(tool));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertTrue(success, "getRequirements reverted");
        (AccessRequirement[] memory requirements, RequirementLogic logic) =
            abi.decode(returndata, (AccessRequirement[], RequirementLogic));
        assertEq(abi.encode(requirements, logic), returndata, "not the canonical ABI encoding");
        assertGt(requirements.length, 0, "no requirements");
        for (uint256 i = 0; i < requirements.length; i++) {
            assertTrue(requirements[i].kind != 0, "kind is zero");
            assertGt(requirements[i].data.length, 0, "empty data");
            assertGt(bytes(requirements[i].label).length, 0, "empty label");
        }
    }

    function _assertNotConfigured(uint256 toolId) private view {
        assertEq(_configurationOf(toolId), _emptyGetterReturn(), "the tool has a configuration");
    }

    function _configurationOf(uint256 toolId) internal view returns (bytes memory) {
        (bool success, bytes memory returndata) = predicate.staticcall(_getter(toolId));
        assertTrue(success, "the getter reverted");
        return returndata;
    }
}
