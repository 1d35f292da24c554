// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingPredicate } from "test/mocks/GasConsumingPredicate.sol";
import { GrantingPredicate } from "test/mocks/GrantingPredicate.sol";
import { InvalidOpcodePredicate } from "test/mocks/InvalidOpcodePredicate.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { OversizeRevertPredicate } from "test/mocks/OversizeRevertPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { RecursivePredicate } from "test/mocks/RecursivePredicate.sol";
import { ReentrantPredicate } from "test/mocks/ReentrantPredicate.sol";
import { RevertingPredicate } from "test/mocks/RevertingPredicate.sol";
import { RevertingWithTruePredicate } from "test/mocks/RevertingWithTruePredicate.sol";
import { SettablePredicate } from "test/mocks/SettablePredicate.sol";
import { StorageWritingPredicate } from "test/mocks/StorageWritingPredicate.sol";

contract TryHasAccessTest is BaseTest {
    using stdJson for string;

    uint64 private constant GAS_CAP = 200_000;

    /// @dev What the registry may spend itself, around the predicate.
    uint256 private constant OVERHEAD = 10_000;

    /* CALLDATA */

    function test_RevertWhen_AccountHasHighBits() external {
        _register(address(0));
        _register(address(yesPredicate));
        for (uint256 bit = 160; bit < 256; bit++) {
            for (uint256 toolId = 1; toolId <= 2; toolId++) {
                _assertBareRevert(_encoded(toolId, uint256(uint160(agent)) | 2 ** bit, 0x60, 0, ""));
                _assertBareRevert(_encoded(toolId, 2 ** bit, 0x60, 0, ""));
            }
        }
    }

    function test_RevertWhen_DataOffsetIsOutOfRange() external {
        _register(address(yesPredicate));
        uint256[5] memory offsets = [0xc4, 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < offsets.length; i++) {
            _assertBareRevert(_encoded(1, 1, offsets[i], 32, "32 bytes of data, neither more.."));
        }
    }

    function test_RevertWhen_DataAreLongerThanCalldata() external {
        _register(address(yesPredicate));
        uint256[5] memory lengths = [uint256(33), 2 ** 64 - 1, 2 ** 64, 2 ** 255, type(uint256).max];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertBareRevert(_encoded(1, 1, 0x60, lengths[i], "32 bytes of data, neither more.."));
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
        assertEq(answer, abi.encode(true, true), "untidy calldata reached the predicate");
    }

    /* UNKNOWN AND REMOVED */

    function test_RevertGiven_ToolDoesNotExist() external {
        // A-11, C-10
        _register(address(yesPredicate));
        uint256[4] memory ids = [0, 2, 2 ** 64 + 1, 2 ** 255 + 1];
        for (uint256 i = 0; i < ids.length; i++) {
            (bool success, bytes memory returndata) =
                _call(agent, abi.encodeCall(registry.tryHasAccess, (ids[i], agent, "")));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, ids[i]));
        }
    }

    function test_RevertGiven_ToolIsDeregistered() external {
        // A-13, C-10
        for (uint256 toolId = 1; toolId <= 2; toolId++) {
            _register(toolId == 1 ? address(0) : address(yesPredicate));
            _deregister(toolId);
            (bool success, bytes memory returndata) =
                _call(creator, abi.encodeCall(registry.tryHasAccess, (toolId, agent, "")));
            assertRevert(success, returndata, abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        }
    }

    /* OPEN TOOLS */

    function test_GivenToolIsOpen() external {
        // C-01
        uint256 toolId = _register(address(0));
        bytes memory junk = abi.encodePacked(type(uint256).max, "junk", new bytes(5000));
        vm.record();
        vm.startStateDiffRecording();
        (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, junk);
        assertOnlyStaticProbes(address(registry), address(0), 0);
        assertTrue(ok && granted, "an open tool is not open");
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(registry));
        assertEq(reads.length, 1, "slots read");
        assertEq(writes.length, 0, "slots written");
        assertAccess(registry, toolId, address(0), "", true, true);
        assertAccess(registry, toolId, creator, junk, true, true);
    }

    /* THE QUESTION */

    function test_GivenToolIsGated() external {
        // C-11
        ExpectedCallPredicate predicate = new ExpectedCallPredicate();
        _register(address(0));
        uint256 toolId = _register(address(predicate));
        address[4] memory accounts = [agent, address(0), address(registry), address(type(uint160).max)];
        for (uint256 length = 0; length <= 5000; length = length < 70 ? length + 1 : length * 2 + 1) {
            bytes memory data = bytes(_textOf(length));
            address account = accounts[length % accounts.length];
            predicate.expect(address(registry), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
            assertAccess(registry, toolId, account, data, true, true);
            predicate.expect(address(this), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
            assertAccess(registry, toolId, account, data, true, false);
        }
    }

    function test_GivenToolIsGated_WhenGasIsPlentiful() external {
        // C-14
        uint256 toolId = _register(address(yesPredicate));
        bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "data"));
        vm.expectCall(address(yesPredicate), 0, GAS_CAP, question, 1);
        vm.record();
        registry.tryHasAccess(toolId, agent, "data");
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(registry));
        assertEq(reads.length, 1, "slots read");
        assertEq(writes.length, 0, "slots written");
    }

    /* THE ANSWER */

    function test_GivenPredicateAnswersABool() external {
        // C-03
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        predicate.setHasAccess(true, abi.encode(uint256(1)));
        assertAccess(registry, toolId, agent, "", true, true);
        predicate.setHasAccess(true, abi.encode(uint256(0)));
        assertAccess(registry, toolId, agent, "", true, false);
    }

    function test_GivenPredicateAnswersAnotherWord() external {
        // C-04
        assertAccess(registry, _register(address(new NonBooleanReturnPredicate(0xffffffff))), agent, "", false, false);
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        for (uint256 bit = 1; bit < 256; bit++) {
            predicate.setHasAccess(true, abi.encode(uint256(2 ** bit)));
            assertAccess(registry, toolId, agent, "", false, false);
            predicate.setHasAccess(true, abi.encode(uint256(2 ** bit | 1)));
            assertAccess(registry, toolId, agent, "", false, false);
        }
        predicate.setHasAccess(true, abi.encode(type(uint256).max));
        assertAccess(registry, toolId, agent, "", false, false);
    }

    function test_GivenPredicateAnswersWithAnotherLength() external {
        // C-05, T-06
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        for (uint256 length = 0; length <= 100; length++) {
            if (length == 32) continue;
            bytes memory answer = new bytes(length);
            predicate.setHasAccess(true, answer);
            assertAccess(registry, toolId, agent, "", false, false);
            if (length == 0) continue;
            answer[length < 32 ? length - 1 : 31] = 0x01;
            predicate.setHasAccess(true, answer);
            assertAccess(registry, toolId, agent, "", false, false);
        }
    }

    function test_GivenPredicateFails() external {
        // C-06
        address[5] memory predicates = [
            address(new RevertingPredicate()),
            address(new RevertingWithTruePredicate()),
            address(new GasBurner()),
            address(new InvalidOpcodePredicate()),
            address(new ContractAccount())
        ];
        for (uint256 i = 0; i < predicates.length; i++) {
            assertAccess(registry, _register(predicates[i]), agent, "", false, false);
        }
    }

    function test_GivenPredicateHasNoCode() external {
        // C-07
        bytes memory initCode = type(GrantingPredicate).creationCode;
        address future = vm.computeCreate2Address("salt", keccak256(initCode), address(this));
        uint256 toolId = _register(future);
        assertEq(future.code.length, 0, "there is code already");
        assertAccess(registry, toolId, agent, "", false, false);

        GrantingPredicate deployed = new GrantingPredicate{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        assertAccess(registry, toolId, agent, "", true, true);
    }

    function test_GivenPredicateIsAPrecompile() external {
        // C-07
        for (uint160 i = 1; i <= 0x12; i++) {
            uint256 toolId = _register(address(i));
            assertAccess(registry, toolId, agent, "", false, false);
            assertAccess(registry, toolId, address(0), new bytes(28), false, false);
            assertAccess(registry, toolId, agent, abi.encode(uint256(1), uint256(1)), false, false);
        }
        assertAccess(registry, _register(address(0x100)), agent, new bytes(28), false, false);
    }

    /* HOSTILE PREDICATES */

    function test_GivenPredicateWrites() external {
        // C-02
        StorageWritingPredicate predicate = new StorageWritingPredicate();
        uint256 toolId = _register(address(predicate));
        assertAccess(registry, toolId, agent, "", false, false);
        assertEq(predicate.writes(), 0, "the predicate could write");

        assertTrue(predicate.hasAccess(toolId, agent, ""), "the mock does not say yes");
        assertEq(predicate.writes(), 1, "the mock does not write");
    }

    function test_GivenPredicateReenters() external {
        // C-02, A-22
        ReentrantPredicate predicate = new ReentrantPredicate(registry);
        predicate.registerTool();
        bytes memory before = abi.encode(registry.getToolConfig(1));

        registry.tryHasAccess(1, agent, "");
        registry.hasAccess(1, agent, "");

        assertEq(registry.toolCount(), 1, "the predicate registered a tool");
        assertEq(abi.encode(registry.getToolConfig(1)), before, "the predicate changed its tool");

        predicate.hasAccess(1, agent, "");
        assertEq(registry.toolCount(), 2, "the mock does not reenter");
        assertOnlyTombstone(address(registry), 1);
    }

    function test_GivenPredicateAnswersHugely() external {
        // C-13
        ContractAccount caller = new ContractAccount();
        uint256[3] memory sizes = [uint256(280_000), 1_200_000, 2 ** 32];
        for (uint256 i = 0; i < sizes.length; i++) {
            for (uint256 j = 0; j < 2; j++) {
                address predicate = j == 0
                    ? address(new OversizeReturnPredicate(sizes[i]))
                    : address(new OversizeRevertPredicate(sizes[i]));
                uint256 toolId = _register(predicate);
                bytes memory question = abi.encodeCall(registry.tryHasAccess, (toolId, agent, ""));
                (bool success, bytes memory answer, uint256 gasUsed) =
                    caller.execute(address(registry), 250_000, question);
                assertTrue(success, "a large answer made the registry fail");
                assertEq(answer, abi.encode(false, false), "a large answer was taken for one");
                assertLe(gasUsed, GAS_CAP + OVERHEAD, "the registry paid for the answer");
            }
        }
    }

    function test_GivenPredicateNeedsMoreThanTheCap() external {
        // C-14
        ContractAccount caller = new ContractAccount();
        uint256 under = _register(address(new GasConsumingPredicate(GAS_CAP - 1_000)));
        uint256 over = _register(address(new GasConsumingPredicate(GAS_CAP)));
        assertAccess(registry, under, agent, "", true, true);
        assertAccess(registry, over, agent, "", false, false);

        uint256 burner = _register(address(new GasBurner()));
        (,, uint256 gasUsed) =
            caller.execute(address(registry), PLENTY, abi.encodeCall(registry.tryHasAccess, (burner, agent, "")));
        assertGe(gasUsed, GAS_CAP, "the predicate got less than the cap");
        assertLe(gasUsed, GAS_CAP + OVERHEAD, "the predicate got more than the cap");
    }

    /* RECURSION */

    function test_GivenPredicateIsTheRegistry() external {
        // C-12
        uint256 toolId = _register(makeAddr("placeholder"));
        bytes32 header = vm.load(address(registry), toolSlot(toolId, 0));
        uint256 others = uint256(header) & ~uint256(type(uint160).max);
        vm.store(address(registry), toolSlot(toolId, 0), bytes32(others | uint160(address(registry))));
        assertEq(registry.getToolConfig(toolId).accessPredicate, address(registry), "the ladder was not bypassed");

        assertAccess(registry, toolId, agent, "", true, false);
        _assertNeverGrants(toolId);
    }

    function test_GivenPredicateRecurses() external {
        // C-12
        uint256 toolId = _register(address(new RecursivePredicate(registry)));
        _assertNeverGrants(toolId);
    }

    /* NOTHING IS REMEMBERED */

    function test_GivenPredicateChangesItsMind() external {
        // A-23
        SettablePredicate predicate = new SettablePredicate();
        uint256 toolId = _register(address(predicate));
        for (uint256 round = 0; round < 3; round++) {
            assertAccess(registry, toolId, agent, "", true, false);
            predicate.setGranted(true);
            assertAccess(registry, toolId, agent, "", true, true);
            predicate.setGranted(false);
        }
    }

    /* VECTORS */

    function test_Vectors() external {
        // C-03, C-04, C-05, C-09
        string memory json = vm.readFile("tests/vectors/predicate_return.json");
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        uint256 rows = 0;
        for (string memory row = ".[0]"; json.keyExists(row); row = string.concat(".[", vm.toString(rows), "]")) {
            predicate.setHasAccess(
                json.readBool(string.concat(row, ".callSucceeded")), json.readBytes(string.concat(row, ".returndata"))
            );
            bool ok = json.readBool(string.concat(row, ".tryHasAccess[0]"));
            bool granted = json.readBool(string.concat(row, ".tryHasAccess[1]"));
            assertAccess(registry, toolId, agent, "", ok, granted);
            assertEq(registry.hasAccess(toolId, agent, ""), json.readBool(string.concat(row, ".hasAccess")), row);
            rows++;
        }
        assertEq(rows, vm.split(json, '"callSucceeded":').length - 1, "rows run are not the rows in the file");
        assertGt(rows, 0, "no row was run");
    }

    /* SUPPORT */

    function _encoded(uint256 toolId, uint256 account, uint256 offset, uint256 length, bytes memory data)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(IToolRegistry.tryHasAccess.selector, toolId, account, offset, length, data);
    }

    function _assertBareRevert(bytes memory data) private {
        (bool success, bytes memory returndata) = _call(stranger, data);
        assertRevert(success, returndata, "");
    }

    function _assertNeverGrants(uint256 toolId) private {
        ContractAccount caller = new ContractAccount();
        bytes memory question = abi.encodeCall(registry.tryHasAccess, (toolId, agent, ""));
        uint256 answers = 0;
        for (uint256 gasLimit = 0; gasLimit < 600_000; gasLimit += gasLimit < 20_000 ? 101 : 1009) {
            (bool success, bytes memory answer,) = caller.execute(address(registry), gasLimit, question);
            if (!success) continue;
            (, bool granted) = abi.decode(answer, (bool, bool));
            assertFalse(granted, "recursion ended in a grant");
            answers++;
        }
        assertGt(answers, 100, "hardly any amount of gas was enough for an answer");
    }
}
