// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import { Vm } from "forge-std/Vm.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { ERC165NonPredicate } from "test/mocks/ERC165NonPredicate.sol";
import { EmptyReturnProbePredicate } from "test/mocks/EmptyReturnProbePredicate.sol";
import { FullStipendNonPredicate } from "test/mocks/FullStipendNonPredicate.sol";
import { FullStipendPasswordPredicate } from "test/mocks/FullStipendPasswordPredicate.sol";
import { FullStipendPredicate } from "test/mocks/FullStipendPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { NonERC165Predicate } from "test/mocks/NonERC165Predicate.sol";
import { OversizeRevertPredicate } from "test/mocks/OversizeRevertPredicate.sol";
import { ShortReturnProbePredicate } from "test/mocks/ShortReturnProbePredicate.sol";
import { TwoFunctionPredicate } from "test/mocks/TwoFunctionPredicate.sol";
import { CompositeWorld } from "test/support/CompositeWorld.sol";

contract PlainERC721 is ERC721("Plain", "P") { }

contract PlainERC20 is ERC20("Plain", "P") { }

contract SetCompositionTest is CompositeWorld {
    /* AUTHORITY */

    function test_RevertWhen_CallerIsNotCreator() external {
        Term[] memory terms = _terms(_is(address(yesPredicate)));
        address[3] memory others = [stranger, address(registry), address(composite)];
        for (uint256 i = 0; i < others.length; i++) {
            bytes memory expected =
                abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, others[i]);
            vm.expectRevert(expected);
            vm.prank(others[i]);
            composite.setComposition(toolId, ALL, terms);
            vm.expectRevert(expected);
            vm.prank(others[i]);
            composite.setComposition(toolId, ALL, terms, 1000);
        }
    }

    function test_RevertGiven_ToolIsNotThere() external {
        Term[] memory terms = _terms(_is(address(yesPredicate)));
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, toolId + 1));
        vm.prank(creator);
        composite.setComposition(toolId + 1, ALL, terms);
        _deregister(toolId);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, toolId));
        vm.prank(creator);
        composite.setComposition(toolId, ALL, terms);
    }

    /* LIMITS */

    function test_RevertWhen_OperatorIsUnknown() external {
        for (uint256 op = 2; op < 256; op++) {
            _expectRefusal(abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, op));
            composite.setComposition(toolId, uint8(op), _terms(_is(address(yesPredicate))));
            _expectRefusal(abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, op));
            composite.setComposition(toolId, uint8(op), new Term[](0));
        }
    }

    function test_WhenTermsAreEight() external {
        _compose(composite, ALL, _repeat(_is(address(yesPredicate)), 8));
        assertEq(composite.getTerms(toolId).length, 8, "not eight terms");
        assertEq(composite.MAX_TERMS(), 8, "MAX_TERMS");
        assertTrue(registry.hasAccess(toolId, agent, ""), "eight yeses are no yes");
    }

    function test_RevertWhen_TermsAreNine() external {
        for (uint256 count = 9; count < 40; count += 10) {
            _expectRefusal(abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, count, 8));
            composite.setComposition(toolId, ANY, _repeat(_is(address(yesPredicate)), count));
        }
    }

    function test_RevertWhen_BudgetIsOutOfBounds() external {
        uint256[5] memory budgets = [uint256(0), 7, 160_001, 2 ** 32 + 8, type(uint256).max];
        for (uint256 i = 0; i < budgets.length; i++) {
            _expectRefusal(
                abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, budgets[i], uint256(150_000))
            );
            composite.setComposition(toolId, ALL, _terms(_is(address(yesPredicate))), budgets[i]);
        }
    }

    function test_WhenBudgetIsAtItsBounds() external {
        _compose(composite, ALL, _repeat(_is(address(yesPredicate)), 8), 8);
        assertEq(composite.termGas(toolId), 1, "the least budget leaves no gas");
        _compose(composite, ALL, _terms(_is(address(yesPredicate))), 150_000);
        assertEq(composite.termGas(toolId), 150_000, "the whole budget");
        assertEq(composite.MAX_BUDGET(), 150_000, "MAX_BUDGET");
    }

    /* TERMS */

    function test_RevertWhen_TermCannotAnswer() external {
        address[5] memory useless = [address(0), address(composite), makeAddr("nobody"), address(1), address(9)];
        for (uint256 i = 0; i < useless.length; i++) {
            _assertRefusedEverywhere(useless[i], ICompositePredicate.InvalidTerm.selector, true);
            _assertRefusedEverywhere(useless[i], ICompositePredicate.InvalidTerm.selector, false);
        }
    }

    function test_RevertWhen_TermIsAnotherContract() external {
        address[7] memory others = [
            address(new PlainERC721()),
            address(registry),
            address(new ERC165NonPredicate()),
            address(new TwoFunctionPredicate()),
            address(new FullStipendNonPredicate()),
            address(new NonBooleanReturnPredicate(type(IAccessPredicate).interfaceId)),
            address(new EmptyReturnProbePredicate(type(IAccessPredicate).interfaceId))
        ];
        for (uint256 i = 0; i < others.length; i++) {
            _assertRefusedEverywhere(others[i], ICompositePredicate.InvalidTerm.selector, true);
            _assertRefusedEverywhere(others[i], ICompositePredicate.InvalidTerm.selector, false);
        }
    }

    function test_WhenTermDoesNotSpeakERC165() external {
        bytes4 erc165 = type(IERC165).interfaceId;
        address[7] memory accepted = [
            address(new NonERC165Predicate()),
            address(new EmptyReturnProbePredicate(erc165)),
            address(new ShortReturnProbePredicate(erc165)),
            address(new NonBooleanReturnPredicate(erc165)),
            address(new GasBurner()),
            address(new OversizeRevertPredicate(100_000)),
            address(new PlainERC20())
        ];
        for (uint256 i = 0; i < accepted.length; i++) {
            _compose(composite, ANY, _terms(_is(accepted[i]), _not(accepted[i])));
            Term[] memory terms = composite.getTerms(toolId);
            assertEq(abi.encode(terms), abi.encode(_terms(_is(accepted[i]), _not(accepted[i]))), "terms differ");
        }
    }

    function test_RevertWhen_DataReaderIsNegated() external {
        address[5] memory readers = [
            address(reader),
            address(new FullStipendPasswordPredicate()),
            _deployShipped("MerkleAllowlistPredicate", abi.encode(registry)),
            _deployShipped("AccessProofPredicate", ""),
            _deployShipped("TraitGatedPredicate", abi.encode(registry))
        ];
        for (uint256 i = 0; i < readers.length; i++) {
            assertTrue(IERC165(readers[i]).supportsInterface(type(IReadsCallData).interfaceId), "does not advertise");
            _assertRefusedEverywhere(readers[i], ICompositePredicate.CannotNegate.selector, true);
        }
    }

    function test_WhenDataReaderIsNotNegated() external {
        _compose(composite, ALL, _terms(_is(address(reader)), _not(address(noPredicate))));
        assertTrue(registry.hasAccess(toolId, agent, reader.PASSWORD()), "the password does not open");
        assertFalse(registry.hasAccess(toolId, agent, "junk"), "junk opens");
    }

    /* STARVED QUESTIONS */

    function test_WhenGasIsShort_NonPredicate() external {
        address[2] memory others = [address(new FullStipendNonPredicate()), address(new ERC165NonPredicate())];
        for (uint256 i = 0; i < others.length; i++) {
            assertEq(_sweep(_is(others[i])), 0, "what is no predicate was taken");
            assertEq(_sweep(_not(others[i])), 0, "what is no predicate was taken, negated");
        }
    }

    function test_WhenGasIsShort_DataReader() external {
        address[3] memory readers = [
            address(new FullStipendPasswordPredicate()),
            _deployShipped("MerkleAllowlistPredicate", abi.encode(registry)),
            address(reader)
        ];
        for (uint256 i = 0; i < readers.length; i++) {
            assertEq(_sweep(_not(readers[i])), 0, "a data reader was negated");
        }
    }

    function test_WhenGasIsShort_HonestPredicate() external {
        assertGt(_sweep(_not(address(new FullStipendPredicate()))), 100, "the sweep never had enough gas");

        // A data reader that was taken is always known as one: under negation it is passed over, whatever was paid.
        uint256 mine = _registerByCaller();
        Term[] memory terms = _terms(_is(address(new FullStipendPasswordPredicate())));
        bytes memory set = abi.encodeWithSignature("setComposition(uint256,uint8,(address,bool)[])", mine, ANY, terms);
        uint256 taken = 0;
        for (uint256 gasLimit = 30_000; gasLimit < 250_000; gasLimit += 61) {
            (bool success,,) = caller.execute(address(composite), gasLimit, set);
            if (!success) continue;
            taken++;
            (bool answered,) = address(composite)
                .staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (mine, agent, abi.encodePacked(NEGATED))));
            assertFalse(answered, "a data reader slipped in as something else");
        }
        assertGt(taken, 100, "the sweep never had enough gas");
    }

    /* SETTING */

    function test_WhenInOrder() external {
        uint256 other = _register(address(composite));
        Term[] memory terms = _terms(_is(address(yesPredicate)), _not(address(noPredicate)), _is(address(reader)));
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, terms);
            _assertOnlyLogs(op, terms, 50_000);
            assertEq(composite.getOp(toolId), op, "getOp");
            assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
            assertEq(composite.termGas(toolId), 50_000, "termGas");
        }
        assertEq(composite.getTerms(other).length, 0, "another tool got terms");
        assertEq(composite.getOp(other), 0, "another tool got an operator");
        assertEq(composite.termGas(other), 0, "another tool got gas");
    }

    function test_WhenSetAgain() external {
        _compose(composite, ANY, _repeat(_is(address(yesPredicate)), 8));
        Term[] memory terms = _terms(_not(address(yesPredicate)));
        _compose(composite, ALL, terms, 40_000);
        assertEq(composite.getOp(toolId), ALL, "getOp");
        assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
        assertEq(composite.termGas(toolId), 40_000, "termGas");
        assertFalse(registry.hasAccess(toolId, agent, ""), "the composition before still counts");
    }

    function test_WhenBudgetIsGiven() external {
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = _repeat(_is(address(yesPredicate)), count);
            vm.recordLogs();
            _compose(composite, ALL, terms, 50_001);
            _assertOnlyLogs(ALL, terms, 50_001 / count);
            assertEq(composite.termGas(toolId), 50_001 / count, "not an equal share of the budget");
            _compose(composite, ALL, terms);
            assertEq(composite.termGas(toolId), 150_000 / count, "not an equal share of the whole budget");
            address account = address(uint160(1000 + count));
            bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, ""));
            vm.expectCall(address(yesPredicate), 0, uint64(150_000 / count), question, uint64(count));
            assertTrue(composite.hasAccess(toolId, account, ""), "the answer");
        }
    }

    function test_WhenThereAreNoTerms() external {
        _compose(composite, ANY, _terms(_is(address(yesPredicate))));
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, new Term[](0));
            _assertOnlyLogs(op, new Term[](0), 0);
            assertEq(composite.getTerms(toolId).length, 0, "there are terms");
            assertEq(composite.termGas(toolId), 0, "there is gas");
            assertAccess(registry, toolId, agent, "", true, false);
        }
    }

    /* SUPPORT */

    function _expectRefusal(bytes memory revertdata) private {
        vm.expectRevert(revertdata);
        vm.prank(creator);
    }

    /// @dev At each of eight places among good terms.
    function _assertRefusedEverywhere(address predicate, bytes4 selector, bool negate) private {
        for (uint256 index = 0; index < 8; index++) {
            Term[] memory terms = _repeat(_is(address(yesPredicate)), 8);
            terms[index] = Term({ predicate: predicate, negate: negate });
            _expectRefusal(abi.encodeWithSelector(selector, index, predicate));
            composite.setComposition(toolId, ANY, terms);
        }
    }

    function _registerByCaller() private returns (uint256) {
        (, bytes memory answer,) = caller.execute(
            address(registry),
            PLENTY,
            abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(composite)))
        );
        return abi.decode(answer, (uint256));
    }

    /// @dev How many of the gas values from 20,000 to 250,000 end with the term accepted.
    function _sweep(Term memory term) private returns (uint256 accepted) {
        uint256 mine = _registerByCaller();
        bytes memory set =
            abi.encodeWithSignature("setComposition(uint256,uint8,(address,bool)[])", mine, ALL, _terms(term));
        for (uint256 gasLimit = 20_000; gasLimit < 250_000; gasLimit += 61) {
            (bool success,,) = caller.execute(address(composite), gasLimit, set);
            if (success) accepted++;
        }
    }

    function _assertOnlyLogs(uint8 op, Term[] memory terms, uint256 termGas) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 2, "not exactly two logs");
        assertEq(logs[0].emitter, address(composite), "somebody else emitted the log");
        assertEq(logs[0].topics.length, 2, "topics");
        assertEq(logs[0].topics[0], keccak256("CompositionSet(uint256,uint8,(address,bool)[])"), "topic 0");
        assertEq(logs[0].topics[1], bytes32(toolId), "topic 1");
        assertEq(logs[0].data, abi.encode(op, terms), "log data");
        assertEq(logs[1].emitter, address(composite), "somebody else emitted the second log");
        assertEq(logs[1].topics.length, 2, "topics of the second log");
        assertEq(logs[1].topics[0], keccak256("TermGasSet(uint256,uint256)"), "topic 0 of the second log");
        assertEq(logs[1].topics[1], bytes32(toolId), "topic 1 of the second log");
        assertEq(logs[1].data, abi.encode(termGas), "data of the second log");
    }
}
