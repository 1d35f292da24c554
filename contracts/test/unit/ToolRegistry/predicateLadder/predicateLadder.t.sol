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

abstract contract PredicateLadderTest is BaseTest {
    using stdJson for string;

    bytes4 internal constant FIRST_QUESTION = type(IERC165).interfaceId;
    bytes4 internal constant SECOND_QUESTION = type(IAccessPredicate).interfaceId;
    uint64 internal constant ALLOWANCE = 30_000;

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
            address(registry), PLENTY, abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, previous))
        );
    }

    /// @dev A call that is in order but for the predicate, if anything is wrong with it.
    function _submission(address predicate) internal view virtual returns (bytes memory);

    /// @dev The tool that has the predicate after the submission was accepted.
    function _submittedTool() internal view virtual returns (uint256);

    /* STEPS 1 AND 2 */

    function test_WhenPredicateIsZero() external {
        // D-01, D-07
        _assertAccepted(address(0), 0);
    }

    function test_WhenPredicateHasNoCode() external {
        // D-02, D-07
        _assertAccepted(makeAddr("nobody yet"), 0);
        assertAccess(registry, _submittedTool(), agent, "", false, false);
    }

    /* STEPS 3 AND 4 */

    function test_WhenFirstQuestionReverts() external {
        // D-03, D-07
        _assertAccepted(address(new NonERC165Predicate()), 1);
    }

    function test_WhenFirstQuestionRevertsWithTrue() external {
        // D-03
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(FIRST_QUESTION, false, abi.encode(true));
        _assertAccepted(address(predicate), 1);
        _assertAccepted(address(new OversizeRevertPredicate(64)), 1);
    }

    function test_WhenFirstQuestionRunsOutOfGas() external {
        // D-03, D-07
        _assertAccepted(address(new GasBurner()), 1);
    }

    function test_WhenFirstAnswerIsNo() external {
        // D-04, D-07
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(FIRST_QUESTION, true, abi.encode(false));
        predicate.setResponse(SECOND_QUESTION, true, abi.encode(false));
        _assertAccepted(address(predicate), 1);
    }

    function test_WhenFirstAnswerIsSilent() external {
        // D-10, T-01
        _assertAccepted(address(new EmptyReturnProbePredicate(FIRST_QUESTION)), 1);
    }

    function test_WhenFirstAnswerIsShort() external {
        // D-10, T-01
        _assertAccepted(address(new ShortReturnProbePredicate(FIRST_QUESTION)), 1);
    }

    function test_WhenFirstAnswerIsAnotherWord() external {
        // D-10, T-01
        _assertAccepted(address(new NonBooleanReturnPredicate(FIRST_QUESTION)), 1);

        bytes32[3] memory words = [bytes32(type(uint256).max), bytes32(uint256(1) << 248), bytes32(uint256(0x101))];
        for (uint256 i = 0; i < words.length; i++) {
            PresetResponsePredicate predicate = new PresetResponsePredicate();
            predicate.setResponse(FIRST_QUESTION, true, abi.encode(words[i]));
            predicate.setResponse(SECOND_QUESTION, true, abi.encode(false));
            _assertAccepted(address(predicate), 1);
        }
    }

    /* STEP 5 */

    function test_WhenBothAnswersAreYes() external {
        // D-05, D-07
        _assertAccepted(address(yesPredicate), 2);
        assertAccess(registry, _submittedTool(), agent, "", true, true);
    }

    function test_WhenAnswersAreLong() external {
        // T-06
        uint256[4] memory sizes = [uint256(33), 63, 64, 4096];
        for (uint256 i = 0; i < sizes.length; i++) {
            _assertAccepted(address(new OversizeReturnPredicate(sizes[i])), 2);
        }
    }

    function test_WhenAnswersAreSlow() external {
        // D-08
        ExpensiveProbePredicate predicate = new ExpensiveProbePredicate();
        bytes memory question = abi.encodeCall(IERC165.supportsInterface, (SECOND_QUESTION));
        (bool early,,) = owner.execute(address(predicate), 28_600, question);
        (bool late,,) = owner.execute(address(predicate), 29_500, question);
        assertTrue(!early && late, "the mock does not take about 29,000 gas");

        _assertAccepted(address(predicate), 2);
    }

    function test_RevertWhen_SecondAnswerIsNo() external {
        // D-06, D-07, D-13
        _assertRefused(address(new ERC165NonPredicate()), 2);
    }

    function test_RevertWhen_PredicateLacksGetRequirements() external {
        // T-03
        TwoFunctionPredicate predicate = new TwoFunctionPredicate();
        assertTrue(predicate.supportsInterface(0xa11ea958), "the mock does not claim the two-function id");
        _assertRefused(address(predicate), 2);
    }

    function test_RevertWhen_PredicateIsTheRegistry() external {
        // D-09
        _assertRefused(address(registry), 2);
    }

    function test_RevertWhen_SecondQuestionReverts() external {
        // D-06, D-13
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(FIRST_QUESTION, true, abi.encode(true));
        _assertRefused(address(predicate), 2);

        predicate.setResponse(SECOND_QUESTION, false, abi.encode(true));
        _assertRefused(address(predicate), 2);
    }

    function test_RevertWhen_SecondQuestionRunsOutOfGas() external {
        // D-06, D-13
        PresetResponsePredicate predicate = new PresetResponsePredicate();
        predicate.setResponse(FIRST_QUESTION, true, abi.encode(true));
        predicate.setResponse(SECOND_QUESTION, true, new bytes(1024));
        _assertRefused(address(predicate), 2);
    }

    function test_RevertWhen_SecondAnswerIsSilent() external {
        // D-11, T-01
        _assertRefused(address(new EmptyReturnProbePredicate(SECOND_QUESTION)), 2);
    }

    function test_RevertWhen_SecondAnswerIsShort() external {
        // D-11, T-01
        _assertRefused(address(new ShortReturnProbePredicate(SECOND_QUESTION)), 2);
    }

    function test_RevertWhen_SecondAnswerIsAnotherWord() external {
        // D-11, T-01
        _assertRefused(address(new NonBooleanReturnPredicate(SECOND_QUESTION)), 2);

        bytes32[3] memory words = [bytes32(type(uint256).max), bytes32(uint256(1) << 248), bytes32(uint256(0x101))];
        for (uint256 i = 0; i < words.length; i++) {
            PresetResponsePredicate predicate = new PresetResponsePredicate();
            predicate.setResponse(FIRST_QUESTION, true, abi.encode(true));
            predicate.setResponse(SECOND_QUESTION, true, abi.encode(words[i]));
            _assertRefused(address(predicate), 2);
        }
    }

    /* GAS */

    function test_WhenGasIsPlentiful() external {
        // D-03, D-05
        address silent = address(new NonERC165Predicate());
        address bad = address(new ERC165NonPredicate());
        _expectQuestions(address(yesPredicate), 1, 1);
        _expectQuestions(silent, 1, 0);
        _expectQuestions(bad, 1, 1);

        _submit(address(yesPredicate));
        _submit(silent);
        _submit(bad);
    }

    function test_RevertWhen_GasIsShortForANonPredicate() external {
        // D-12, T-02
        address bad = address(new ERC165NonPredicate());
        bytes memory submission = _submission(bad);
        for (uint256 gasLimit = SWEEP_START; gasLimit < SWEEP_END; gasLimit += SWEEP_STEP) {
            (bool accepted,,) = owner.execute(address(registry), gasLimit, submission);
            assertFalse(accepted, "a starved registry accepted a contract that is no predicate");
        }
        (bool success, bytes memory returndata,) = owner.execute(address(registry), SWEEP_END, submission);
        assertRevert(success, returndata, _refusal(bad));
    }

    function test_RevertWhen_GasIsShortForTheWholeAllowance() external {
        // D-12, T-02
        FullStipendNonPredicate bad = new FullStipendNonPredicate();
        bytes memory question = abi.encodeCall(IERC165.supportsInterface, (FIRST_QUESTION));
        (bool starved,,) = owner.execute(address(bad), bad.GAS_NEEDED(), question);
        (bool sated,,) = owner.execute(address(bad), ALLOWANCE, question);
        assertTrue(!starved && sated, "the mock does not tell the whole allowance from less");

        bytes memory submission = _submission(address(bad));
        for (uint256 gasLimit = SWEEP_START; gasLimit < SWEEP_END; gasLimit += SWEEP_STEP) {
            (bool accepted,,) = owner.execute(address(registry), gasLimit, submission);
            assertFalse(accepted, "a question was put with less than the whole allowance");
        }
    }

    function test_WhenGasSuffices() external {
        // D-12, T-02
        address[2] memory good = [address(yesPredicate), address(new FullStipendPredicate())];
        uint256 snapshot = vm.snapshotState();
        for (uint256 i = 0; i < good.length; i++) {
            bool enough = false;
            bytes memory submission = _submission(good[i]);
            for (uint256 gasLimit = SWEEP_START; gasLimit <= SWEEP_END; gasLimit += 5 * SWEEP_STEP) {
                (bool accepted, bytes memory returndata,) = owner.execute(address(registry), gasLimit, submission);
                if (accepted) {
                    enough = true;
                    assertEq(registry.getToolConfig(_submittedTool()).accessPredicate, good[i], "another predicate");
                    vm.revertToState(snapshot);
                } else {
                    assertFalse(enough, "more gas was not enough");
                    if (returndata.length != 0) assertEq(returndata, _refusal(good[i]), "another error");
                }
            }
            assertTrue(enough, "no amount of gas was enough");
        }
    }

    /* HOSTILE PREDICATES */

    function test_WhenPredicateWritesWhenAsked() external {
        // A-22, T-04
        StorageWritingPredicate predicate = new StorageWritingPredicate();
        _assertAccepted(address(predicate), 1);
        assertEq(predicate.writes(), 0, "the predicate could write");

        predicate.supportsInterface(FIRST_QUESTION);
        assertEq(predicate.writes(), 1, "the mock does not write");
    }

    function test_WhenPredicateReentersWhenAsked() external {
        // A-22, T-04
        ReentrantPredicate predicate = new ReentrantPredicate(registry);
        _assertAccepted(address(predicate), 2);
        uint256 count = _submittedTool();
        assertEq(registry.toolCount(), count, "the predicate registered a tool");

        predicate.supportsInterface(FIRST_QUESTION);
        assertEq(registry.toolCount(), count + 1, "the mock does not reenter");
    }

    function test_WhenAnswersAreHuge() external {
        address huge = address(new OversizeReturnPredicate(90_000));
        (bool success,,) = owner.execute(huge, ALLOWANCE, abi.encodeCall(IERC165.supportsInterface, (FIRST_QUESTION)));
        assertTrue(success, "the mock cannot afford its own answer");

        uint256 snapshot = vm.snapshotState();
        (bool smallAccepted,, uint256 smallGas) = _submit(address(new OversizeReturnPredicate(32)));
        vm.revertToState(snapshot);
        (bool hugeAccepted,, uint256 hugeGas) = _submit(huge);
        assertTrue(smallAccepted && hugeAccepted, "a long answer was refused");
        assertLe(hugeGas, smallGas + 2 * ALLOWANCE, "the registry paid for the answers a second time");

        address revertingHugely = address(new OversizeRevertPredicate(90_000));
        vm.revertToState(snapshot);
        (bool accepted,, uint256 gasUsed) = _submit(revertingHugely);
        assertTrue(accepted, "a long revert was not taken for no answer");
        assertLe(gasUsed, smallGas + ALLOWANCE, "the registry paid for the revert data");
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
        assertEq(rows, vm.split(json, '"expect":').length - 1, "rows run are not the rows in the file");
        assertGt(rows, 0, "no row was run");
    }

    function _assertVector(string memory json, string memory row) private {
        address predicate = address(0);
        uint256 questions = 0;
        if (json.readBool(string.concat(row, ".hasCode"))) {
            PresetResponsePredicate scripted = new PresetResponsePredicate();
            questions += _scriptProbe(scripted, FIRST_QUESTION, json, string.concat(row, ".probe1"));
            questions += _scriptProbe(scripted, SECOND_QUESTION, json, string.concat(row, ".probe2"));
            predicate = address(scripted);
        } else if (!json.readBool(string.concat(row, ".zeroAddress"))) {
            predicate = makeAddr(row);
        }

        string memory expected = json.readString(string.concat(row, ".expect"));
        if (keccak256(bytes(expected)) == keccak256("accept")) {
            _assertAccepted(predicate, questions);
        } else {
            assertEq(expected, "InvalidAccessPredicate", "a row expects something unknown");
            _assertRefused(predicate, questions);
        }
    }

    function _scriptProbe(PresetResponsePredicate scripted, bytes4 question, string memory json, string memory probe)
        private
        returns (uint256 questions)
    {
        if (!json.keyExists(string.concat(probe, ".success"))) return 0;
        bool success = json.readBool(string.concat(probe, ".success"));
        scripted.setResponse(question, success, json.readBytes(string.concat(probe, ".ret")));
        return 1;
    }

    function _row(uint256 index) private pure returns (string memory) {
        return string.concat(".rows[", vm.toString(index), "]");
    }

    /* SUPPORT */

    function _submit(address predicate) private returns (bool success, bytes memory returndata, uint256 gasUsed) {
        return owner.execute(address(registry), PLENTY, _submission(predicate));
    }

    function _refusal(address predicate) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, predicate);
    }

    function _expectQuestions(address predicate, uint64 first, uint64 second) private {
        vm.expectCall(predicate, 0, ALLOWANCE, abi.encodeCall(IERC165.supportsInterface, (FIRST_QUESTION)), first);
        vm.expectCall(predicate, 0, ALLOWANCE, abi.encodeCall(IERC165.supportsInterface, (SECOND_QUESTION)), second);
    }

    function _assertAccepted(address predicate, uint256 questions) private {
        vm.startStateDiffRecording();
        (bool success,,) = _submit(predicate);
        assertTrue(success, "a predicate was refused");
        assertOnlyStaticProbes(address(registry), predicate, questions);
        assertEq(registry.getToolConfig(_submittedTool()).accessPredicate, predicate, "another predicate was stored");
        assertEq(registry.getToolConfig(_submittedTool()).creator, address(owner), "another creator was stored");
    }

    function _assertRefused(address predicate, uint256 questions) private {
        uint256 count = registry.toolCount();
        ToolConfig memory before = registry.getToolConfig(1);
        vm.recordLogs();
        vm.record();
        vm.startStateDiffRecording();

        (bool success, bytes memory returndata,) = _submit(predicate);

        assertRevert(success, returndata, _refusal(predicate));
        assertOnlyStaticProbes(address(registry), predicate, questions);
        assertNoWrites(address(registry));
        assertNoLogs();
        assertEq(registry.toolCount(), count, "a refused predicate left a tool");
        assertConfig(registry, 1, before);
    }
}

contract RegisterToolPredicateLadderTest is PredicateLadderTest {
    function _submission(address predicate) internal view override returns (bytes memory) {
        return abi.encodeCall(registry.registerTool, (OTHER_URI, OTHER_HASH, predicate));
    }

    function _submittedTool() internal view override returns (uint256) {
        return registry.toolCount();
    }
}

contract SetAccessPredicateLadderTest is PredicateLadderTest {
    function _submission(address predicate) internal view override returns (bytes memory) {
        return abi.encodeCall(registry.setAccessPredicate, (1, predicate));
    }

    function _submittedTool() internal pure override returns (uint256) {
        return 1;
    }
}
