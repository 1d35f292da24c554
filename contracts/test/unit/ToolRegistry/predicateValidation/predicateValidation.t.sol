// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";
import { EmptyReturnProbePredicate } from "test/mocks/EmptyReturnProbePredicate.sol";
import { ExpensiveProbePredicate } from "test/mocks/ExpensiveProbePredicate.sol";
import { FullStipendNonPredicate } from "test/mocks/FullStipendNonPredicate.sol";
import { FullStipendPredicate } from "test/mocks/FullStipendPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { NonERC165Predicate } from "test/mocks/NonERC165Predicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { OversizeRevertPredicate } from "test/mocks/OversizeRevertPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { ReentrantPredicate } from "test/mocks/ReentrantPredicate.sol";
import { ShortReturnProbePredicate } from "test/mocks/ShortReturnProbePredicate.sol";
import { StorageWritingPredicate } from "test/mocks/StorageWritingPredicate.sol";
import { TwoFunctionPredicate } from "test/mocks/TwoFunctionPredicate.sol";

/// @dev A cheatcode that the pinned forge-std lacks.
interface EvmVersions {
    function setEvmVersion(string calldata evm) external;
}

abstract contract PredicateValidationTest is BaseTest {
    using stdJson for string;

    bytes4 internal constant ERC165_ID = type(IERC165).interfaceId;
    bytes4 internal constant PREDICATE_ID = type(IAccessPredicate).interfaceId;
    uint64 internal constant STIPEND = 30_000;

    uint256 internal constant SWEEP_START = 21_000;
    uint256 internal constant SWEEP_END = 400_000;
    uint256 internal constant SWEEP_STEP = 97;

    ContractAccount internal owner;
    address internal previous;

    function setUp() public override {
        super.setUp();
        owner = new ContractAccount();
        previous = makeAddr("previous predicate");
        owner.execute(
            address(registry), AMPLE_GAS, abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, previous))
        );
    }

    /// @dev A call that is valid except, possibly, for the predicate.
    function _submission(address predicate) internal view virtual returns (bytes memory);

    /// @dev The tool whose predicate the submission sets.
    function _submittedTool() internal view virtual returns (uint256);

    /* STEPS 1 AND 2 */

    function test_WhenPredicateIsZero() external {
        // D-01, D-07
        _assertAccepted(address(0), 0);
    }

    function test_WhenPredicateHasNoCode() external {
        // D-02, D-07
        _assertAccepted(makeAddr("no code yet"), 0);
        assertAccess(registry, _submittedTool(), agent, "", false, false);
    }

    /* STEPS 3 AND 4 */

    function test_WhenFirstProbeReverts() external {
        // D-03, D-07
        _assertAccepted(address(new NonERC165Predicate()), 1);
    }

    function test_WhenFirstProbeRevertsWithTrue() external {
        // D-03
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(ERC165_ID, false, abi.encode(true));
        _assertAccepted(address(predicate), 1);
        _assertAccepted(address(new OversizeRevertPredicate(64)), 1);
    }

    function test_WhenFirstProbeRunsOutOfGas() external {
        // D-03, D-07
        _assertAccepted(address(new GasBurner()), 1);
    }

    function test_WhenFirstProbeReturnsFalse() external {
        // D-04, D-07
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(ERC165_ID, true, abi.encode(false));
        predicate.setResponse(PREDICATE_ID, true, abi.encode(false));
        _assertAccepted(address(predicate), 1);
    }

    function test_WhenFirstProbeReturnsNothing() external {
        // D-10, T-01
        _assertAccepted(address(new EmptyReturnProbePredicate(ERC165_ID)), 1);
    }

    function test_WhenFirstProbeReturnsTooFewBytes() external {
        // D-10, T-01
        _assertAccepted(address(new ShortReturnProbePredicate(ERC165_ID)), 1);
    }

    function test_WhenFirstProbeReturnsNonBoolean() external {
        // D-10, T-01
        _assertAccepted(address(new NonBooleanReturnPredicate(ERC165_ID)), 1);

        bytes32[3] memory words = [bytes32(type(uint256).max), bytes32(uint256(1) << 248), bytes32(uint256(0x101))];
        for (uint256 i = 0; i < words.length; i++) {
            PresetResponsePredicate predicate = new PresetResponsePredicate();
            predicate.setResponse(ERC165_ID, true, abi.encode(words[i]));
            predicate.setResponse(PREDICATE_ID, true, abi.encode(false));
            _assertAccepted(address(predicate), 1);
        }
    }

    /* STEP 5 */

    function test_WhenBothProbesReturnTrue() external {
        // D-05, D-07
        _assertAccepted(address(grantingPredicate), 2);
        assertAccess(registry, _submittedTool(), agent, "", true, true);
    }

    function test_WhenProbesReturnMoreThan32Bytes() external {
        // T-06
        uint256[4] memory sizes = [uint256(33), 63, 64, 4096];
        for (uint256 i = 0; i < sizes.length; i++) {
            _assertAccepted(address(new OversizeReturnPredicate(sizes[i])), 2);
        }
    }

    function test_WhenProbesAreExpensive() external {
        // D-08
        ExpensiveProbePredicate predicate = new ExpensiveProbePredicate();
        bytes memory callData = abi.encodeCall(IERC165.supportsInterface, (PREDICATE_ID));
        (bool early,,) = owner.execute(address(predicate), 28_600, callData);
        (bool late,,) = owner.execute(address(predicate), 29_500, callData);
        assertTrue(!early && late, "the mock does not consume about 29,000 gas");

        _assertAccepted(address(predicate), 2);
    }

    function test_RevertWhen_SecondProbeReturnsFalse() external {
        // D-06, D-07, D-13
        _assertReverts(address(new ERC165NonPredicate()), 2);
    }

    function test_RevertWhen_PredicateLacksGetRequirements() external {
        // T-03
        TwoFunctionPredicate predicate = new TwoFunctionPredicate();
        assertTrue(predicate.supportsInterface(0xa11ea958), "the mock does not claim the id of the older interface");
        _assertReverts(address(predicate), 2);
    }

    function test_RevertWhen_PredicateIsRegistry() external {
        // D-09
        _assertReverts(address(registry), 2);
    }

    function test_RevertWhen_SecondProbeReverts() external {
        // D-06, D-13
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(ERC165_ID, true, abi.encode(true));
        _assertReverts(address(predicate), 2);

        predicate.setResponse(PREDICATE_ID, false, abi.encode(true));
        _assertReverts(address(predicate), 2);
    }

    function test_RevertWhen_SecondProbeRunsOutOfGas() external {
        // D-06, D-13
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(ERC165_ID, true, abi.encode(true));
        predicate.setResponse(PREDICATE_ID, true, new bytes(1024));
        _assertReverts(address(predicate), 2);
    }

    function test_RevertWhen_SecondProbeReturnsNothing() external {
        // D-11, T-01
        _assertReverts(address(new EmptyReturnProbePredicate(PREDICATE_ID)), 2);
    }

    function test_RevertWhen_SecondProbeReturnsTooFewBytes() external {
        // D-11, T-01
        _assertReverts(address(new ShortReturnProbePredicate(PREDICATE_ID)), 2);
    }

    function test_RevertWhen_SecondProbeReturnsNonBoolean() external {
        // D-11, T-01
        _assertReverts(address(new NonBooleanReturnPredicate(PREDICATE_ID)), 2);

        bytes32[3] memory words = [bytes32(type(uint256).max), bytes32(uint256(1) << 248), bytes32(uint256(0x101))];
        for (uint256 i = 0; i < words.length; i++) {
            PresetResponsePredicate predicate = new PresetResponsePredicate();
            predicate.setResponse(ERC165_ID, true, abi.encode(true));
            predicate.setResponse(PREDICATE_ID, true, abi.encode(words[i]));
            _assertReverts(address(predicate), 2);
        }
    }

    /* GAS */

    function test_WhenGasIsAmple() external {
        // D-03, D-05
        address nonERC165 = address(new NonERC165Predicate());
        address nonPredicate = address(new ERC165NonPredicate());
        _expectProbes(address(grantingPredicate), 1, 1);
        _expectProbes(nonERC165, 1, 0);
        _expectProbes(nonPredicate, 1, 1);

        _submit(address(grantingPredicate));
        _submit(nonERC165);
        _submit(nonPredicate);
    }

    function test_RevertWhen_GasIsLow_GivenNonPredicate() external {
        // D-12, T-02
        address nonPredicate = address(new ERC165NonPredicate());
        bytes memory submission = _submission(nonPredicate);
        for (uint256 gasLimit = SWEEP_START; gasLimit < SWEEP_END; gasLimit += SWEEP_STEP) {
            (bool accepted,,) = owner.execute(address(registry), gasLimit, submission);
            assertFalse(accepted, "with low gas, a contract that is not a predicate was accepted");
        }
        (bool success, bytes memory returndata,) = owner.execute(address(registry), SWEEP_END, submission);
        assertRevert(success, returndata, _revertData(nonPredicate));
    }

    function test_RevertWhen_GasIsBelowFullStipend() external {
        // D-12, T-02
        FullStipendNonPredicate nonPredicate = new FullStipendNonPredicate();
        bytes memory callData = abi.encodeCall(IERC165.supportsInterface, (ERC165_ID));
        (bool lowSuccess,,) = owner.execute(address(nonPredicate), nonPredicate.GAS_NEEDED(), callData);
        (bool fullSuccess,,) = owner.execute(address(nonPredicate), STIPEND, callData);
        assertTrue(!lowSuccess && fullSuccess, "the mock does not distinguish the full stipend from less");

        bytes memory submission = _submission(address(nonPredicate));
        for (uint256 gasLimit = SWEEP_START; gasLimit < SWEEP_END; gasLimit += SWEEP_STEP) {
            (bool accepted,,) = owner.execute(address(registry), gasLimit, submission);
            assertFalse(accepted, "a probe received less than the full stipend");
        }
    }

    /// @dev EIP-7702: the probe also pays for access to the delegated code, which is cold.
    function test_RevertWhen_GasIsLow_GivenDelegatedNonPredicate() external {
        // D-12, T-02
        EvmVersions(address(vm)).setEvmVersion("prague");
        address[2] memory delegates = [address(new FullStipendNonPredicate()), address(new ERC165NonPredicate())];
        for (uint256 i = 0; i < delegates.length; i++) {
            address account = makeAddr(i == 0 ? "first delegated account" : "second delegated account");
            vm.etch(account, abi.encodePacked(hex"ef0100", delegates[i]));
            bytes memory submission = _submission(account);
            for (uint256 gasLimit = SWEEP_START; gasLimit < SWEEP_END; gasLimit += SWEEP_STEP) {
                (bool accepted,,) = owner.execute(address(registry), gasLimit, submission);
                assertFalse(accepted, "with low gas, a delegated account that is not a predicate was accepted");
            }
            (bool success, bytes memory returndata,) = owner.execute(address(registry), SWEEP_END, submission);
            assertRevert(success, returndata, _revertData(account));
        }
    }

    function test_WhenGasSuffices() external {
        // D-12, T-02
        address[2] memory predicates = [address(grantingPredicate), address(new FullStipendPredicate())];
        uint256 snapshot = vm.snapshotState();
        for (uint256 i = 0; i < predicates.length; i++) {
            bool sufficient = false;
            bytes memory submission = _submission(predicates[i]);
            for (uint256 gasLimit = SWEEP_START; gasLimit <= SWEEP_END; gasLimit += 5 * SWEEP_STEP) {
                (bool accepted, bytes memory returndata,) = owner.execute(address(registry), gasLimit, submission);
                if (accepted) {
                    sufficient = true;
                    assertEq(registry.getToolConfig(_submittedTool()).accessPredicate, predicates[i], "wrong predicate");
                    vm.revertToState(snapshot);
                } else {
                    assertFalse(sufficient, "more gas was not sufficient");
                    if (returndata.length != 0) assertEq(returndata, _revertData(predicates[i]), "wrong error");
                }
            }
            assertTrue(sufficient, "no gas limit was sufficient");
        }
    }

    /* MALICIOUS PREDICATES */

    function test_WhenPredicateWritesInProbe() external {
        // A-22, T-04
        StorageWritingPredicate predicate = new StorageWritingPredicate();
        _assertAccepted(address(predicate), 1);
        assertEq(predicate.writes(), 0, "the predicate wrote to storage");

        predicate.supportsInterface(ERC165_ID);
        assertEq(predicate.writes(), 1, "the mock does not write to storage");
    }

    function test_WhenPredicateReentersInProbe() external {
        // A-22, T-04
        ReentrantPredicate predicate = new ReentrantPredicate(registry);
        _assertAccepted(address(predicate), 2);
        uint256 count = _submittedTool();
        assertEq(registry.toolCount(), count, "the predicate registered a tool");

        predicate.supportsInterface(ERC165_ID);
        assertEq(registry.toolCount(), count + 1, "the mock does not reenter");
    }

    function test_WhenProbesReturnHugeData() external {
        address huge = address(new OversizeReturnPredicate(90_000));
        (bool success,,) = owner.execute(huge, STIPEND, abi.encodeCall(IERC165.supportsInterface, (ERC165_ID)));
        assertTrue(success, "the mock runs out of gas");

        uint256 snapshot = vm.snapshotState();
        (bool smallAccepted,, uint256 smallGas) = _submit(address(new OversizeReturnPredicate(32)));
        vm.revertToState(snapshot);
        (bool hugeAccepted,, uint256 hugeGas) = _submit(huge);
        assertTrue(smallAccepted && hugeAccepted, "long return data was rejected");
        assertLe(hugeGas, smallGas + 2 * STIPEND, "the registry copied the return data");

        address hugeRevert = address(new OversizeRevertPredicate(90_000));
        vm.revertToState(snapshot);
        (bool accepted,, uint256 gasUsed) = _submit(hugeRevert);
        assertTrue(accepted, "long revert data changed the result");
        assertLe(gasUsed, smallGas + STIPEND, "the registry copied the revert data");
    }

    /* VECTORS */

    function test_Vectors() external {
        // D-07, D-10, D-11, T-06
        string memory json = vm.readFile("tests/vectors/predicate_ladder.json");
        uint256 rows = 0;
        for (string memory row = ".rows[0]"; json.keyExists(row); row = _row(rows)) {
            _assertVector(json, row);
            rows++;
        }
        assertEq(rows, vm.split(json, '"expect":').length - 1, "number of rows run differs from the file");
        assertGt(rows, 0, "no rows were run");
    }

    function _assertVector(string memory json, string memory row) private {
        address predicate = address(0);
        uint256 probes = 0;
        if (json.readBool(string.concat(row, ".hasCode"))) {
            PresetResponsePredicate scripted = new PresetResponsePredicate();
            probes += _scriptProbe(scripted, ERC165_ID, json, string.concat(row, ".probe1"));
            probes += _scriptProbe(scripted, PREDICATE_ID, json, string.concat(row, ".probe2"));
            predicate = address(scripted);
        } else if (!json.readBool(string.concat(row, ".zeroAddress"))) {
            predicate = makeAddr(row);
        }

        string memory expected = json.readString(string.concat(row, ".expect"));
        if (keccak256(bytes(expected)) == keccak256("accept")) {
            _assertAccepted(predicate, probes);
        } else {
            assertEq(expected, "InvalidAccessPredicate", "unknown expectation in the vectors");
            _assertReverts(predicate, probes);
        }
    }

    function _scriptProbe(PresetResponsePredicate scripted, bytes4 interfaceId, string memory json, string memory probe)
        private
        returns (uint256 probes)
    {
        if (!json.keyExists(string.concat(probe, ".success"))) return 0;
        bool success = json.readBool(string.concat(probe, ".success"));
        scripted.setResponse(interfaceId, success, json.readBytes(string.concat(probe, ".ret")));
        return 1;
    }

    function _row(uint256 index) private pure returns (string memory) {
        return string.concat(".rows[", vm.toString(index), "]");
    }

    /* HELPERS */

    function _submit(address predicate) private returns (bool success, bytes memory returndata, uint256 gasUsed) {
        return owner.execute(address(registry), AMPLE_GAS, _submission(predicate));
    }

    function _revertData(address predicate) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, predicate);
    }

    function _expectProbes(address predicate, uint64 first, uint64 second) private {
        vm.expectCall(predicate, 0, STIPEND, abi.encodeCall(IERC165.supportsInterface, (ERC165_ID)), first);
        vm.expectCall(predicate, 0, STIPEND, abi.encodeCall(IERC165.supportsInterface, (PREDICATE_ID)), second);
    }

    function _assertAccepted(address predicate, uint256 probes) private {
        vm.startStateDiffRecording();
        (bool success,,) = _submit(predicate);
        assertTrue(success, "a valid predicate was rejected");
        assertOnlyStaticProbes(address(registry), predicate, probes);
        assertEq(registry.getToolConfig(_submittedTool()).accessPredicate, predicate, "wrong predicate stored");
        assertEq(registry.getToolConfig(_submittedTool()).creator, address(owner), "wrong creator stored");
    }

    function _assertReverts(address predicate, uint256 probes) private {
        uint256 count = registry.toolCount();
        ToolConfig memory before = registry.getToolConfig(1);
        vm.recordLogs();
        vm.record();
        vm.startStateDiffRecording();

        (bool success, bytes memory returndata,) = _submit(predicate);

        assertRevert(success, returndata, _revertData(predicate));
        assertOnlyStaticProbes(address(registry), predicate, probes);
        assertNoWrites(address(registry));
        assertNoLogs();
        assertEq(registry.toolCount(), count, "a rejected predicate left a tool");
        assertConfig(registry, 1, before);
    }
}

contract RegisterToolPredicateValidationTest is PredicateValidationTest {
    function _submission(address predicate) internal view override returns (bytes memory) {
        return abi.encodeCall(registry.registerTool, (OTHER_URI, OTHER_HASH, predicate));
    }

    function _submittedTool() internal view override returns (uint256) {
        return registry.toolCount();
    }
}

contract SetAccessPredicateValidationTest is PredicateValidationTest {
    function _submission(address predicate) internal view override returns (bytes memory) {
        return abi.encodeCall(registry.setAccessPredicate, (1, predicate));
    }

    function _submittedTool() internal pure override returns (uint256) {
        return 1;
    }
}
