// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Vm } from "forge-std/Vm.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IStipendPredicate } from "src/interfaces/predicates/IStipendPredicate.sol";
import { Access } from "test/support/Access.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

/// @dev Tests that every configurable predicate with stipends must pass. The tests of each predicate inherit this
///      contract.
abstract contract StipendPredicateTest is ConfiguredPredicateTest {
    /// @dev The call of `_configuration` with a chosen stipend.
    function _configuration(uint256 toolId, uint256 stipend) internal view virtual returns (bytes memory call);

    /// @dev The default stipends of `_configuration`.
    function _defaultStipends() internal pure virtual returns (uint256 first, uint256 retry);

    /// @dev The bounds of the stipend of `_configuration`.
    function _stipendBounds() internal pure virtual returns (uint256 min, uint256 max);

    function test_GivenDefaultStipends() external {
        _configure(_configuration(tool));
        _assertDefaultStipends();
        _configure(_configuration(tool, _bound(true)));
        _configure(_configuration(tool));
        _assertDefaultStipends();
    }

    function test_WhenStipendIsChosen() external {
        (uint256 min, uint256 max) = _stipendBounds();
        uint256[4] memory stipends = [min, max, 12_345, 0];
        for (uint256 i = 0; i < stipends.length; i++) {
            vm.recordLogs();
            _configure(_configuration(tool, stipends[i]));
            Vm.Log[] memory logs = vm.getRecordedLogs();
            assertEq(logs.length, 2, "number of logs is not two");
            assertEq(logs[1].emitter, predicate, "the log has another emitter");
            bytes32[] memory topics = _topics(IStipendPredicate.StipendSet.selector, tool);
            assertEq(abi.encode(logs[1].topics), abi.encode(topics), "topics");
            assertEq(logs[1].data, abi.encode(stipends[i]), "log data");
            if (stipends[i] == 0) _assertDefaultStipends();
            else _assertStipends(stipends[i], stipends[i]);
        }
        _configure(_configuration(tool));
        bytes memory configuration = _configurationOf(tool);
        _configure(_configuration(tool, max));
        assertEq(_configurationOf(tool), configuration, "the stipend changed the configuration");
    }

    function test_RevertWhen_StipendIsInvalid() external {
        (uint256 min, uint256 max) = _stipendBounds();
        uint256[5] memory invalid = [1, min - 1, max + 1, 2 ** 32 + min, type(uint256).max];
        for (uint256 i = 0; i < invalid.length; i++) {
            _assertReverts(
                _configuration(tool, invalid[i]),
                abi.encodeWithSelector(IStipendPredicate.InvalidStipend.selector, invalid[i], min, max)
            );
        }
        _assertReverts(
            _configuration(tool - 1, max + 1),
            abi.encodeWithSelector(IStipendPredicate.InvalidStipend.selector, max + 1, min, max)
        );
    }

    function test_RevertWhen_CallerIsNotCreator_GivenStipend() external {
        (bool success, bytes memory returndata) = _callPredicate(eve, _configuration(tool, _bound(false)));
        bytes memory expected = abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, tool, eve);
        assertRevert(success, returndata, expected);
    }

    function test_RevertGiven_NotConfigured_GetStipends() external {
        bytes memory expected = abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool);
        vm.expectRevert(expected);
        IStipendPredicate(predicate).getStipends(tool);
        vm.expectRevert(expected);
        IStipendPredicate(predicate).gasNeeded(tool);
    }

    /// @dev With plain tokens, also with the smallest and the largest stipend.
    function test_GasNeeded() external {
        uint256 sufficient = 0;
        for (uint256 i = 0; i < 3; i++) {
            _configure(i == 0 ? _configuration(tool) : _configuration(tool, i == 1 ? 12_345 : _bound(true)));
            uint256 needed = IStipendPredicate(predicate).gasNeeded(tool);
            assertLe(needed, PREDICATE_GAS_LIMIT, "gasNeeded exceeds the registry's limit");
            if (_predicateAccess(agent, _data(), needed) == Access.Granted) sufficient++;
            assertTrue(_predicateAccess(eve, _data(), needed) == Access.Denied, "too low for others");
        }
        assertEq(sufficient, 3, "too low for a holder");
    }

    function _assertDefaultStipends() private view {
        (uint256 first, uint256 retry) = _defaultStipends();
        _assertStipends(first, retry);
    }

    function _assertStipends(uint256 first, uint256 retry) private view {
        (uint256 actualFirst, uint256 actualRetry) = IStipendPredicate(predicate).getStipends(tool);
        assertEq(actualFirst, first, "first stipend");
        assertEq(actualRetry, retry, "retry stipend");
    }

    function _bound(bool isMax) private pure returns (uint256) {
        (uint256 min, uint256 max) = _stipendBounds();
        return isMax ? max : min;
    }
}
