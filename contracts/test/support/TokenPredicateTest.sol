// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1967Proxy } from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import { Vm } from "forge-std/Vm.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { EmptyReturnToken } from "test/mocks/tokens/EmptyReturnToken.sol";
import { InvalidOpcodeToken } from "test/mocks/tokens/InvalidOpcodeToken.sol";
import { ReturnBombToken } from "test/mocks/tokens/ReturnBombToken.sol";
import { RevertingToken } from "test/mocks/tokens/RevertingToken.sol";
import { ShortReturnToken } from "test/mocks/tokens/ShortReturnToken.sol";
import { StorageWritingToken } from "test/mocks/tokens/StorageWritingToken.sol";

/// @notice The three answers of a predicate.
enum Answer {
    Unknown,
    No,
    Yes
}

/// @dev A tool gated by one predicate, which is asked directly and through the registry, with plenty of gas or with
///      exactly as much as told. Static calls of a test are cold, as on chain.
abstract contract TokenPredicateTest is BaseTest {
    /// @dev What the registry gives a predicate at most.
    uint256 internal constant REGISTRY_CAP = 200_000;

    error AnswerDependsOnGas(uint256 gasLimit, Answer answer);

    address internal predicate;
    uint256 internal tool;

    function _setUp(address deployed) internal {
        predicate = deployed;
        vm.label(deployed, "predicate");
        _register(address(0));
        tool = _register(deployed);
    }

    /* ANSWERS */

    function assertYes(address account) internal view {
        assertAnswer(account, "", abi.encode(true));
    }

    function assertNo(address account) internal view {
        assertAnswer(account, "", abi.encode(false));
    }

    function assertUnknown(address account, bytes memory revertData) internal view {
        assertAnswer(account, "", revertData);
    }

    /// @dev The predicate returns exactly true or false, or reverts exactly so; the registry reports the same.
    function assertAnswer(address account, bytes memory data, bytes memory expected) internal view {
        bool isYes = keccak256(expected) == keccak256(abi.encode(true));
        bool isNo = keccak256(expected) == keccak256(abi.encode(false));
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (tool, account, data)));
        assertEq(success, isYes || isNo, "the predicate's third answer differs");
        assertEq(returndata, expected, "what the predicate returned differs");
        assertAccess(registry, tool, account, data, isYes || isNo, isYes);
    }

    function assertRequirements(AccessRequirement[] memory requirements, RequirementLogic logic) internal view {
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (tool)));
        assertTrue(success, "getRequirements reverted");
        assertEq(returndata, abi.encode(requirements, logic), "requirements differ");
    }

    function _noAnswer(address token) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IPredicate.NoAnswer.selector, token);
    }

    /* ASKING WITH A GIVEN AMOUNT OF GAS */

    function _askPredicate(address account, bytes memory data, uint256 gasLimit) internal view returns (Answer) {
        (bool success, bytes memory returndata) =
            predicate.staticcall{ gas: gasLimit }(abi.encodeCall(IAccessPredicate.hasAccess, (tool, account, data)));
        if (!success) return Answer.Unknown;
        return abi.decode(returndata, (bool)) ? Answer.Yes : Answer.No;
    }

    function _askRegistry(address account, bytes memory data, uint256 gasLimit) internal view returns (Answer) {
        (bool success, bytes memory returndata) =
            address(registry).staticcall{ gas: gasLimit }(abi.encodeCall(registry.tryHasAccess, (tool, account, data)));
        if (!success) return Answer.Unknown;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        if (!ok) return Answer.Unknown;
        return granted ? Answer.Yes : Answer.No;
    }

    /// @dev At no amount of gas is there any answer but `truth` or none: with little none, with enough `truth`.
    function assertGasDecidesNothing(address account, bytes memory data, Answer truth) internal view {
        assertEq(uint256(_askPredicate(account, data, PLENTY)), uint256(truth), "with plenty of gas");
        assertEq(uint256(_askRegistry(account, data, PLENTY)), uint256(truth), "with plenty of gas, by the registry");
        assertEq(uint256(_askPredicate(account, data, 2000)), uint256(Answer.Unknown), "with hardly any gas");
        uint256 answers = 0;
        for (uint256 gasLimit = 20_000 - tool; gasLimit <= 300_000; gasLimit += 251) {
            Answer direct = _askPredicate(account, data, gasLimit);
            Answer byRegistry = _askRegistry(account, data, gasLimit);
            if (direct == truth && byRegistry == truth) answers++;
            if (direct != Answer.Unknown && direct != truth) revert AnswerDependsOnGas(gasLimit, direct);
            if (byRegistry != Answer.Unknown && byRegistry != truth) revert AnswerDependsOnGas(gasLimit, byRegistry);
        }
        assertGt(answers, 200, "hardly any amount of gas was enough for an answer");
    }

    /// @dev The least gas with which the predicate gives its answer, all state being cold.
    function _gasNeeded(address account, bytes memory data, Answer truth) internal view returns (uint256 enough) {
        uint256 tooLittle = 0;
        enough = 1_000_000;
        assertEq(uint256(_askPredicate(account, data, enough)), uint256(truth), "no such answer");
        while (enough - tooLittle > 1) {
            uint256 middle = (enough + tooLittle) / 2;
            if (_askPredicate(account, data, middle) == truth) enough = middle;
            else tooLittle = middle;
        }
    }

    /// @dev The registry gets the answer on cold state, and the predicate has gas to spare.
    function assertUsable(address account, bytes memory data, Answer truth) internal view {
        assertEq(uint256(_askRegistry(account, data, PLENTY)), uint256(truth), "not usable inside the registry's cap");
        assertLe(_gasNeeded(account, data, truth), REGISTRY_CAP, "the predicate needs more than the cap");
    }

    /* CHANGING */

    /// @dev Calls the predicate; expects success and exactly one log.
    function _configure(bytes memory call, bytes32[] memory topics, bytes memory data) internal {
        vm.recordLogs();
        _configure(call);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1, "not exactly one log was emitted");
        assertEq(logs[0].emitter, predicate, "somebody else emitted the log");
        assertEq(abi.encode(logs[0].topics), abi.encode(topics), "topics differ");
        assertEq(logs[0].data, data, "log data differ");
    }

    function _configure(bytes memory call) internal {
        (bool success, bytes memory returndata) = _callPredicate(creator, call);
        assertTrue(success, "the configuration was refused");
        assertEq(returndata, "", "configuring returns something");
    }

    function _assertRefused(bytes memory call, bytes memory expected) internal {
        (bool success, bytes memory returndata) = _callPredicate(creator, call);
        assertRevert(success, returndata, expected);
    }

    function _callPredicate(address from, bytes memory call) internal returns (bool success, bytes memory returndata) {
        vm.prank(from);
        return predicate.call(call);
    }

    function _topics(bytes32 selector, uint256 toolId) internal pure returns (bytes32[] memory topics) {
        topics = new bytes32[](2);
        (topics[0], topics[1]) = (selector, bytes32(toolId));
    }

    function _topics(bytes32 selector, uint256 toolId, address account)
        internal
        pure
        returns (bytes32[] memory topics)
    {
        topics = new bytes32[](3);
        (topics[0], topics[1], topics[2]) = (selector, bytes32(toolId), bytes32(uint256(uint160(account))));
    }

    /* TOKENS */

    /// @dev Tokens none of which gives an answer to any question.
    function _hostileTokens() internal returns (address[] memory tokens) {
        tokens = new address[](7);
        tokens[0] = address(new RevertingToken());
        tokens[1] = address(new GasBurner());
        tokens[2] = address(new InvalidOpcodeToken());
        tokens[3] = address(new EmptyReturnToken());
        tokens[4] = address(new ShortReturnToken());
        tokens[5] = address(new ReturnBombToken());
        tokens[6] = address(new StorageWritingToken());
    }

    /// @dev The token behind an ERC-1967 proxy with storage of its own.
    function _proxied(address implementation, bytes memory firstCall) internal returns (address) {
        return address(new ERC1967Proxy(implementation, firstCall));
    }

    /// @dev An account of its own with the same code, so that touching one leaves the others cold.
    function _copy(address original, uint256 index) internal returns (address copy) {
        copy = address(uint160(uint256(keccak256(abi.encode(original, index)))));
        vm.etch(copy, original.code);
    }
}
