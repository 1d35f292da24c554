// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { AccessPredicateTest } from "test/unit/predicates/base/AccessPredicate.t.sol";

/// @dev What holds for each predicate that tools' creators set up; its own tests inherit this.
abstract contract ConfiguredPredicateTest is AccessPredicateTest {
    /// @dev A call that lets in `agent` and not `stranger`.
    function _configuration(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev A call that lets in nobody.
    function _emptyConfiguration(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev A call that reads back what was set.
    function _reading(uint256 toolId) internal view virtual returns (bytes memory call);

    /// @dev What reading back gives if nothing was ever set.
    function _readingOfNothing() internal pure virtual returns (bytes memory answer);

    /// @dev The call data with which `agent` gets in.
    function _data() internal pure virtual returns (bytes memory) {
        return "";
    }

    function test_Registry() external view {
        assertEq(address(IConfiguredPredicate(predicate).REGISTRY()), address(registry), "registry");
    }

    /* WHO MAY CONFIGURE */

    function test_RevertGiven_ToolDoesNotExist() external {
        uint256[4] memory ids = [0, tool + 1, 2 ** 64 + tool, type(uint256).max];
        for (uint256 i = 0; i < ids.length; i++) {
            _assertRefused(_configuration(ids[i]), abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]));
            _assertUnset(ids[i]);
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        _deregister(tool);
        _assertRefused(_configuration(tool), abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, tool));
        _assertUnset(tool);
    }

    function test_RevertWhen_CallerIsNotCreator() external {
        vm.prank(stranger);
        uint256 theirs = registry.registerTool(METADATA_URI, MANIFEST_HASH, predicate);
        address[6] memory callers = [stranger, agent, address(0), address(registry), predicate, address(this)];
        for (uint256 i = 0; i < callers.length; i++) {
            (bool success, bytes memory returndata) = _callPredicate(callers[i], _configuration(tool));
            assertRevert(
                success,
                returndata,
                abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, tool, callers[i])
            );
        }
        _assertUnset(tool);
        _assertRefused(
            _configuration(theirs),
            abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, theirs, creator)
        );
    }

    function test_WhenToolDoesNotUseThePredicate() external {
        uint256 open = tool - 1;
        _configure(_configuration(open));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (open, agent, _data())));
        assertTrue(success, "no answer");
        assertEq(returndata, abi.encode(true), "the configuration does not count");
        _assertUnset(tool);

        vm.prank(creator);
        registry.setAccessPredicate(open, predicate);
        assertAccess(registry, open, agent, _data(), true, true);
        assertAccess(registry, open, stranger, _data(), true, false);
    }

    /* NEVER CONFIGURED, AND EMPTY */

    function test_GivenNotConfigured() external view {
        _assertUnset(tool);
        assertAnswer(agent, _data(), abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
        assertAnswer(agent, "junk", abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertRevert(success, returndata, abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
    }

    function test_GivenEmptyConfiguration() external {
        _configure(_emptyConfiguration(tool));
        assertAnswer(agent, _data(), abi.encode(false));
        assertAnswer(agent, "junk", abi.encode(false));
        assertAnswer(address(0), "", abi.encode(false));
        assertRequiresTheImpossible();
    }

    function test_GivenConfigurationIsEmptied() external {
        _configure(_configuration(tool));
        assertAnswer(agent, _data(), abi.encode(true));
        _configure(_emptyConfiguration(tool));
        assertAnswer(agent, _data(), abi.encode(false));
        assertRequiresTheImpossible();
        _configure(_configuration(tool));
        assertAnswer(agent, _data(), abi.encode(true));
    }

    /* CONFIGURED */

    function test_WhenAnybodyAsks() external {
        // B-10: whoever asks, the answer is about the account.
        _configure(_configuration(tool));
        address[5] memory senders = [agent, stranger, creator, address(registry), address(0)];
        for (uint256 i = 0; i < senders.length; i++) {
            vm.prank(senders[i], senders[i]);
            assertTrue(IAccessPredicate(predicate).hasAccess(tool, agent, _data()), "denied because of the sender");
            vm.prank(senders[i], senders[i]);
            assertFalse(IAccessPredicate(predicate).hasAccess(tool, stranger, _data()), "granted because of the sender");
        }
    }

    function test_GetRequirements_Shape() external {
        // B-03
        _configure(_configuration(tool));
        (bool success, bytes memory answer) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertTrue(success, "getRequirements reverted");
        (AccessRequirement[] memory requirements, RequirementLogic logic) =
            abi.decode(answer, (AccessRequirement[], RequirementLogic));
        assertEq(abi.encode(requirements, logic), answer, "not in the ABI's own form");
        assertGt(requirements.length, 0, "nothing is required");
        for (uint256 i = 0; i < requirements.length; i++) {
            assertTrue(requirements[i].kind != 0, "an unknown kind");
            assertGt(requirements[i].data.length, 0, "no details");
            assertGt(bytes(requirements[i].label).length, 0, "no label");
        }
    }

    function _assertUnset(uint256 toolId) private view {
        (bool success, bytes memory answer) = predicate.staticcall(_reading(toolId));
        assertTrue(success, "reading back reverted");
        assertEq(answer, _readingOfNothing(), "something was set");
    }
}
