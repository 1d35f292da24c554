// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
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
import { AccessCheckTest } from "test/unit/ToolRegistry/base/AccessCheck.t.sol";

contract TryHasAccessTest is AccessCheckTest {
    using stdJson for string;

    uint64 private constant PREDICATE_GAS_LIMIT = 200_000;

    /// @dev Upper bound of the registry's own gas around the predicate call.
    uint256 private constant OVERHEAD = 10_000;

    /* OPEN TOOLS */

    function test_GivenToolIsOpen() external {
        // C-01
        uint256 toolId = _register(address(0));
        bytes memory junk = abi.encodePacked(type(uint256).max, "junk", new bytes(5000));
        vm.record();
        vm.startStateDiffRecording();
        (bool ok, bool granted) = registry.tryHasAccess(toolId, agent, junk);
        assertOnlyStaticProbes(address(registry), address(0), 0);
        assertTrue(ok && granted, "an open tool denied access");
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(registry));
        assertEq(reads.length, 1, "slots read");
        assertEq(writes.length, 0, "slots written");
        assertAccess(registry, toolId, address(0), "", true, true);
        assertAccess(registry, toolId, creator, junk, true, true);
    }

    /* CALL */

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

    function test_GivenToolIsGated_WhenGasIsAmple() external {
        // C-14
        uint256 toolId = _register(address(grantingPredicate));
        bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "data"));
        vm.expectCall(address(grantingPredicate), 0, PREDICATE_GAS_LIMIT, callData, 1);
        vm.record();
        registry.tryHasAccess(toolId, agent, "data");
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(registry));
        assertEq(reads.length, 1, "slots read");
        assertEq(writes.length, 0, "slots written");
    }

    /* RETURN DATA */

    function test_GivenPredicateReturnsBool() external {
        // C-03
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        predicate.setHasAccess(true, abi.encode(uint256(1)));
        assertAccess(registry, toolId, agent, "", true, true);
        predicate.setHasAccess(true, abi.encode(uint256(0)));
        assertAccess(registry, toolId, agent, "", true, false);
    }

    function test_GivenPredicateReturnsNonBoolean() external {
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

    function test_GivenPredicateReturnsWrongLength() external {
        // C-05, T-06
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        uint256 toolId = _register(address(predicate));
        for (uint256 length = 0; length <= 100; length++) {
            if (length == 32) continue;
            bytes memory returndata = new bytes(length);
            predicate.setHasAccess(true, returndata);
            assertAccess(registry, toolId, agent, "", false, false);
            if (length == 0) continue;
            returndata[length < 32 ? length - 1 : 31] = 0x01;
            predicate.setHasAccess(true, returndata);
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
        assertEq(future.code.length, 0, "code exists before the deployment");
        assertAccess(registry, toolId, agent, "", false, false);

        GrantingPredicate deployed = new GrantingPredicate{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed at another address");
        assertAccess(registry, toolId, agent, "", true, true);
    }

    function test_GivenPredicateIsPrecompile() external {
        // C-07
        for (uint160 i = 1; i <= 0x12; i++) {
            uint256 toolId = _register(address(i));
            assertAccess(registry, toolId, agent, "", false, false);
            assertAccess(registry, toolId, address(0), new bytes(28), false, false);
            assertAccess(registry, toolId, agent, abi.encode(uint256(1), uint256(1)), false, false);
        }
        assertAccess(registry, _register(address(0x100)), agent, new bytes(28), false, false);
    }

    /* MALICIOUS PREDICATES */

    function test_GivenPredicateWrites() external {
        // C-02
        StorageWritingPredicate predicate = new StorageWritingPredicate();
        uint256 toolId = _register(address(predicate));
        assertAccess(registry, toolId, agent, "", false, false);
        assertEq(predicate.writes(), 0, "the predicate wrote to storage");

        assertTrue(predicate.hasAccess(toolId, agent, ""), "the mock does not grant access");
        assertEq(predicate.writes(), 1, "the mock does not write to storage");
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

    function test_GivenPredicateReturnsHugeData() external {
        // C-13
        ContractAccount caller = new ContractAccount();
        uint256[3] memory sizes = [uint256(280_000), 1_200_000, 2 ** 32];
        for (uint256 i = 0; i < sizes.length; i++) {
            for (uint256 j = 0; j < 2; j++) {
                address predicate = j == 0
                    ? address(new OversizeReturnPredicate(sizes[i]))
                    : address(new OversizeRevertPredicate(sizes[i]));
                uint256 toolId = _register(predicate);
                bytes memory callData = abi.encodeCall(registry.tryHasAccess, (toolId, agent, ""));
                (bool success, bytes memory returndata, uint256 gasUsed) =
                    caller.execute(address(registry), 250_000, callData);
                assertTrue(success, "large return data made the registry fail");
                assertEq(returndata, abi.encode(false, false), "large return data was accepted as a result");
                assertLe(gasUsed, PREDICATE_GAS_LIMIT + OVERHEAD, "the registry copied the return data");
            }
        }
    }

    function test_GivenPredicateExceedsGasLimit() external {
        // C-14
        ContractAccount caller = new ContractAccount();
        uint256 under = _register(address(new GasConsumingPredicate(PREDICATE_GAS_LIMIT - 1_000)));
        uint256 over = _register(address(new GasConsumingPredicate(PREDICATE_GAS_LIMIT)));
        assertAccess(registry, under, agent, "", true, true);
        assertAccess(registry, over, agent, "", false, false);

        uint256 burner = _register(address(new GasBurner()));
        (,, uint256 gasUsed) =
            caller.execute(address(registry), AMPLE_GAS, abi.encodeCall(registry.tryHasAccess, (burner, agent, "")));
        assertGe(gasUsed, PREDICATE_GAS_LIMIT, "the predicate received less gas than the limit");
        assertLe(gasUsed, PREDICATE_GAS_LIMIT + OVERHEAD, "the predicate received more gas than the limit");
    }

    /* RECURSION */

    function test_GivenPredicateIsRegistry() external {
        // C-12
        uint256 toolId = _register(makeAddr("placeholder"));
        bytes32 header = vm.load(address(registry), toolSlot(toolId, 0));
        uint256 others = uint256(header) & ~uint256(type(uint160).max);
        vm.store(address(registry), toolSlot(toolId, 0), bytes32(others | uint160(address(registry))));
        assertEq(registry.getToolConfig(toolId).accessPredicate, address(registry), "the validation was not bypassed");

        assertAccess(registry, toolId, agent, "", true, false);
        _assertNeverGrants(toolId);
    }

    function test_GivenPredicateRecurses() external {
        // C-12
        uint256 toolId = _register(address(new RecursivePredicate(registry)));
        _assertNeverGrants(toolId);
    }

    /* NO CACHING */

    function test_GivenPredicateResultChanges() external {
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
        assertEq(rows, vm.split(json, '"callSucceeded":').length - 1, "number of rows run differs from the file");
        assertGt(rows, 0, "no rows were run");
    }

    /* HELPERS */

    function _assertNeverGrants(uint256 toolId) private {
        ContractAccount caller = new ContractAccount();
        bytes memory callData = abi.encodeCall(registry.tryHasAccess, (toolId, agent, ""));
        uint256 results = 0;
        for (uint256 gasLimit = 0; gasLimit < 600_000; gasLimit += gasLimit < 20_000 ? 101 : 1009) {
            (bool success, bytes memory returndata,) = caller.execute(address(registry), gasLimit, callData);
            if (!success) continue;
            (, bool granted) = abi.decode(returndata, (bool, bool));
            assertFalse(granted, "recursion granted access");
            results++;
        }
        assertGt(results, 100, "too few gas limits were sufficient");
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _selector() internal pure override returns (bytes4) {
        return IToolRegistry.tryHasAccess.selector;
    }

    function _grantedReturn() internal pure override returns (bytes memory) {
        return abi.encode(true, true);
    }
}
