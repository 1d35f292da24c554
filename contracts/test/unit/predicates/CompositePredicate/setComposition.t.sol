// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Vm } from "forge-std/Vm.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
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
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";

contract SetCompositionTest is CompositeFixture {
    /* AUTHORIZATION */

    function test_RevertWhen_CallerIsNotCreator() external {
        Term[] memory terms = _terms(_is(address(grantingPredicate)));
        address[3] memory others = [eve, address(registry), address(composite)];
        for (uint256 i = 0; i < others.length; i++) {
            bytes memory expected =
                abi.encodeWithSelector(IConfiguredPredicate.CallerIsNotToolCreator.selector, toolId, others[i]);
            vm.expectRevert(expected);
            vm.prank(others[i]);
            composite.setComposition(toolId, ALL, terms);
            vm.expectRevert(expected);
            vm.prank(others[i]);
            composite.setClauses(toolId, ALL, _clauses(terms), new uint256[](0));
        }
    }

    function test_RevertGiven_ToolDoesNotExist() external {
        Term[] memory terms = _terms(_is(address(grantingPredicate)));
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
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, op));
            composite.setComposition(toolId, uint8(op), _terms(_is(address(grantingPredicate))));
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidOperator.selector, op));
            composite.setComposition(toolId, uint8(op), new Term[](0));
        }
    }

    function test_WhenTermCountIsMaximum() external {
        _compose(composite, ALL, _repeat(_is(address(grantingPredicate)), 8));
        assertEq(composite.getTerms(toolId).length, 8, "number of terms is not eight");
        assertEq(composite.MAX_TERMS_PER_COMPOSITION(), 8, "MAX_TERMS_PER_COMPOSITION");
        assertTrue(registry.hasAccess(toolId, agent, ""), "eight granting terms do not grant");
    }

    function test_RevertWhen_TooManyTerms() external {
        for (uint256 count = 9; count < 40; count += 10) {
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, count, 8));
            composite.setComposition(toolId, ANY, _repeat(_is(address(grantingPredicate)), count));
        }
    }

    function test_RevertWhen_StipendsAreInvalid() external {
        Term[][] memory clauses =
            _clauses(_repeat(_is(address(grantingPredicate)), 2), _terms(_not(address(denyingPredicate))));
        uint256[] memory stipends = _stipends(3, 52_000);
        _compose(composite, ALL, clauses, stipends);
        assertEq(composite.MAX_BUDGET(), 156_000, "MAX_BUDGET");
        for (uint256 count = 1; count < 10; count++) {
            if (count == 3) continue;
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.WrongNumberOfStipends.selector, count, 3));
            composite.setClauses(toolId, ALL, clauses, _stipends(count, 3000));
        }
        for (uint256 i = 0; i < 3; i++) {
            address predicate = i < 2 ? address(grantingPredicate) : address(denyingPredicate);
            stipends[i] = 52_001;
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, 156_001, 156_000));
            composite.setClauses(toolId, ALL, clauses, stipends);
            uint256[3] memory excessive = [uint256(156_001), 2 ** 32, type(uint256).max];
            for (uint256 j = 0; j < excessive.length; j++) {
                stipends[i] = excessive[j];
                _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, excessive[j], 156_000));
                composite.setClauses(toolId, ALL, clauses, stipends);
            }
            uint256[3] memory insufficient = [uint256(0), 1, 2999];
            for (uint256 j = 0; j < insufficient.length; j++) {
                stipends[i] = insufficient[j];
                _expectRevert(
                    abi.encodeWithSelector(
                        ICompositePredicate.TermGasTooLow.selector, i, predicate, 3000, insufficient[j]
                    )
                );
                composite.setClauses(toolId, ALL, clauses, stipends);
            }
            stipends[i] = 52_000;
        }
        stipends = _stipends(3, 3000);
        _compose(composite, ALL, clauses, stipends);
        assertEq(composite.termGas(toolId), stipends, "the lowest stipends");
    }

    function test_RevertWhen_ClauseIsEmpty() external {
        for (uint256 i = 0; i < 3; i++) {
            Term[][] memory clauses = new Term[][](3);
            for (uint256 j = 0; j < 3; j++) {
                clauses[j] = _repeat(_is(address(grantingPredicate)), i == j ? 0 : 2);
            }
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.EmptyClause.selector, i));
            composite.setClauses(toolId, ALL, clauses, new uint256[](0));
        }
    }

    function test_RevertWhen_TooManyTerms_InClauses() external {
        Term[] memory terms = _repeat(_is(address(grantingPredicate)), 4);
        _compose(composite, ALL, _clauses(terms, terms));
        Term[] memory five = _repeat(_is(address(grantingPredicate)), 5);
        _expectRevert(abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, 9, 8));
        composite.setClauses(toolId, ALL, _clauses(terms, five), new uint256[](0));
    }

    /* TERMS */

    function test_RevertWhen_TermIsNotCallable() external {
        address[5] memory invalid = [address(0), address(composite), makeAddr("no code"), address(1), address(9)];
        for (uint256 i = 0; i < invalid.length; i++) {
            _assertRevertsAtEveryIndex(invalid[i], ICompositePredicate.InvalidTerm.selector, true);
            _assertRevertsAtEveryIndex(invalid[i], ICompositePredicate.InvalidTerm.selector, false);
        }
    }

    function test_RevertWhen_TermIsNotPredicate() external {
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
            _assertRevertsAtEveryIndex(others[i], ICompositePredicate.InvalidAccessPredicate.selector, true);
            _assertRevertsAtEveryIndex(others[i], ICompositePredicate.InvalidAccessPredicate.selector, false);
        }
    }

    function test_WhenTermDoesNotSupportERC165() external {
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
            assertEq(abi.encode(terms), abi.encode(_terms(_is(accepted[i]), _not(accepted[i]))), "terms");
        }
    }

    function test_RevertWhen_DataReaderIsNegated() external {
        address[5] memory readers = [
            address(reader),
            address(new FullStipendPasswordPredicate()),
            _deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)),
            _deployArtifact("AccessProofPredicate", abi.encode(registry)),
            _deployArtifact("TraitGatedPredicate", abi.encode(registry))
        ];
        for (uint256 i = 0; i < readers.length; i++) {
            assertTrue(
                IERC165(readers[i]).supportsInterface(type(IReadsCallData).interfaceId),
                "does not advertise IReadsCallData"
            );
            _assertRevertsAtEveryIndex(readers[i], ICompositePredicate.CannotNegate.selector, true);
        }
    }

    function test_WhenDataReaderIsNotNegated() external {
        _compose(composite, ALL, _terms(_is(address(reader)), _not(address(denyingPredicate))));
        assertTrue(registry.hasAccess(toolId, agent, reader.PASSWORD()), "the password was rejected");
        assertFalse(registry.hasAccess(toolId, agent, "junk"), "invalid data was accepted");
    }

    /* LOW GAS */

    function test_WhenGasIsLow_GivenNonPredicate() external {
        address[2] memory others = [address(new FullStipendNonPredicate()), address(new ERC165NonPredicate())];
        for (uint256 i = 0; i < others.length; i++) {
            assertEq(_sweep(_is(others[i])), 0, "a contract that is not a predicate was accepted");
            assertEq(_sweep(_not(others[i])), 0, "a contract that is not a predicate was accepted as a negated term");
        }
    }

    function test_WhenGasIsLow_GivenDataReader() external {
        address[3] memory readers = [
            address(new FullStipendPasswordPredicate()),
            _deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)),
            address(reader)
        ];
        for (uint256 i = 0; i < readers.length; i++) {
            assertEq(_sweep(_not(readers[i])), 0, "a data reader was negated");
        }
    }

    function test_WhenGasIsLow_GivenValidPredicate() external {
        assertGt(_sweep(_not(address(new FullStipendPredicate()))), 100, "no gas limit was sufficient");

        // An accepted data reader is always recognized as one, whatever the gas limit: under negation it is skipped.
        uint256 callerTool = _registerByCaller();
        Term[] memory terms = _terms(_is(address(new FullStipendPasswordPredicate())));
        bytes memory set =
            abi.encodeWithSignature("setComposition(uint256,uint8,(address,bool)[])", callerTool, ANY, terms);
        uint256 taken = 0;
        for (uint256 gasLimit = 30_000; gasLimit < 250_000; gasLimit += 61) {
            (bool success,,) = caller.execute(address(composite), gasLimit, set);
            if (!success) continue;
            taken++;
            (bool ok,) = address(composite)
                .staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (callerTool, agent, abi.encodePacked(NEGATED))));
            assertFalse(ok, "a data reader was not recognized");
        }
        assertGt(taken, 100, "no gas limit was sufficient");
    }

    /* VALID COMPOSITIONS */

    function test_WhenTermsAreValid() external {
        uint256 other = _register(address(composite));
        Term[] memory terms =
            _terms(_is(address(grantingPredicate)), _not(address(denyingPredicate)), _is(address(reader)));
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, terms);
            _assertOnlyLogs(op, terms, _stipends(3, 52_000));
            assertEq(composite.getOp(toolId), op, "getOp");
            assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
            assertEq(composite.termGas(toolId), _stipends(3, 52_000), "termGas");
            assertEq(abi.encode(composite.getClauses(toolId)[1]), abi.encode(_terms(terms[1])), "getClauses");
        }
        assertEq(composite.getTerms(other).length, 0, "another tool's terms changed");
        assertEq(composite.getOp(other), 0, "another tool's operator changed");
        assertEq(composite.termGas(other).length, 0, "another tool's stipends changed");
        assertEq(composite.getClauses(other).length, 0, "another tool's clauses changed");
    }

    function test_WhenSetAgain() external {
        _compose(composite, ANY, _repeat(_is(address(grantingPredicate)), 8));
        Term[] memory terms = _terms(_not(address(grantingPredicate)));
        _compose(composite, ALL, terms, 40_000);
        assertEq(composite.getOp(toolId), ALL, "getOp");
        assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
        assertEq(composite.termGas(toolId), _stipends(1, 40_000), "termGas");
        assertFalse(registry.hasAccess(toolId, agent, ""), "the old composition is still used");
    }

    function test_WhenStipendsAreGiven() external {
        address denying = address(new DenyingPredicate());
        Term[] memory terms = _terms(_is(address(grantingPredicate)), _not(address(denyingPredicate)), _not(denying));
        Term[][] memory clauses = new Term[][](3);
        uint256[] memory stipends = new uint256[](3);
        for (uint256 i = 0; i < 3; i++) {
            (clauses[i], stipends[i]) = (_terms(terms[i]), 3000 + i);
        }
        vm.recordLogs();
        _compose(composite, ALL, clauses, stipends);
        _assertOnlyLogs(ALL, terms, stipends);
        assertEq(composite.termGas(toolId), stipends, "termGas");
        bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, ""));
        vm.expectCall(address(grantingPredicate), 0, 3000, callData, 1);
        callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, abi.encodePacked(NEGATED)));
        vm.expectCall(address(denyingPredicate), 0, 3001, callData, 1);
        vm.expectCall(denying, 0, 3002, callData, 1);
        assertTrue(composite.hasAccess(toolId, agent, ""), "result");
    }

    /// @dev What a term needs, if it is configured, and an equal share of the rest.
    function test_DefaultStipends() external {
        IERC20BalancePredicate balances =
            IERC20BalancePredicate(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 2; i++) {
            uint256 needed = i == 0 ? 3000 : balances.gasNeeded(toolId);
            for (uint256 count = 1; count <= 8; count++) {
                Term[] memory terms = _repeat(_is(address(grantingPredicate)), count);
                terms[count - 1] = _is(address(balances));
                uint256 rest = 156_000 - 3000 * (count - 1) - needed;
                uint256[] memory expected = _stipends(count, 3000 + rest / count);
                expected[count - 1] = needed + rest / count;
                vm.recordLogs();
                _compose(composite, ALL, terms);
                _assertOnlyLogs(ALL, terms, expected);
                assertEq(composite.termGas(toolId), expected, "default stipends");
            }
            address token = address(new PlainERC20());
            vm.prank(creator);
            balances.configureToolERC20(toolId, token, 1);
        }
        // A smaller stipend of the predicate makes a smaller stipend of the term valid.
        Term[] memory one = _terms(_is(address(balances)));
        uint256 sufficient = balances.gasNeeded(toolId);
        _compose(composite, ALL, one, sufficient);
        _expectRevert(
            abi.encodeWithSelector(
                ICompositePredicate.TermGasTooLow.selector, 0, address(balances), sufficient, sufficient - 1
            )
        );
        composite.setClauses(toolId, ALL, _clauses(one), _stipends(1, sufficient - 1));
    }

    /// @dev Eight configured lists of the maximum length exceed the budget.
    function test_RevertWhen_TermsNeedTooMuch() external {
        vm.mockCall(
            address(grantingPredicate), abi.encodeCall(IConfiguredPredicate.gasNeeded, (toolId)), abi.encode(20_000)
        );
        _compose(composite, ALL, _repeat(_is(address(grantingPredicate)), 7));
        assertEq(composite.termGas(toolId), _stipends(7, uint256(156_000) / 7), "equal shares");
        _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, 160_000, 156_000));
        composite.setComposition(toolId, ALL, _repeat(_is(address(grantingPredicate)), 8));
        vm.mockCall(
            address(grantingPredicate),
            abi.encodeCall(IConfiguredPredicate.gasNeeded, (toolId)),
            abi.encode(type(uint256).max)
        );
        _expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, type(uint256).max, 156_000));
        composite.setComposition(toolId, ALL, _terms(_is(address(grantingPredicate))));
    }

    function test_WhenClausesHaveSeveralTerms() external {
        Term[][] memory clauses = _clauses(
            _terms(_is(address(grantingPredicate)), _is(address(reader))), _terms(_not(address(denyingPredicate)))
        );
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, clauses);
            Vm.Log[] memory logs = vm.getRecordedLogs();
            assertEq(logs.length, 2, "number of logs is not two");
            assertEq(logs[0].topics[0], keccak256("ClausesSet(uint256,uint8,(address,bool)[][])"), "topic 0");
            assertEq(logs[0].topics[1], bytes32(toolId), "topic 1");
            assertEq(logs[0].data, abi.encode(op, clauses), "log data");
            assertEq(logs[1].data, abi.encode(_stipends(3, 52_000)), "data of the second log");
            assertEq(composite.getOp(toolId), op, "getOp");
            assertEq(abi.encode(composite.getClauses(toolId)), abi.encode(clauses), "getClauses");
            vm.expectRevert(abi.encodeWithSelector(ICompositePredicate.HasClauses.selector, toolId));
            composite.getTerms(toolId);
        }
    }

    function test_GasNeeded() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        composite.gasNeeded(toolId);
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = _repeat(_is(address(new GasBurner())), count);
            terms[count - 1] = _is(address(grantingPredicate));
            _compose(composite, ANY, terms, 3000 * count);
            uint256 needed = composite.gasNeeded(toolId);
            assertEq(needed, 8600 + count * (3000 + uint256(3000) / 63 + 500 + 3500), "gasNeeded");
            (bool success,,) = caller.execute(
                address(composite), needed, abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, ""))
            );
            assertTrue(success, "gasNeeded is too low");
        }
    }

    function test_WhenThereAreNoTerms() external {
        _compose(composite, ANY, _terms(_is(address(grantingPredicate))));
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, new Term[](0));
            _assertOnlyLogs(op, new Term[](0), new uint256[](0));
            assertEq(composite.getTerms(toolId).length, 0, "number of terms is not zero");
            assertEq(composite.termGas(toolId).length, 0, "number of stipends is not zero");
            assertAccess(registry, toolId, agent, "", true, false);
        }
    }

    /* HELPERS */

    function _expectRevert(bytes memory revertdata) private {
        vm.expectRevert(revertdata);
        vm.prank(creator);
    }

    /// @dev At each of eight positions among valid terms.
    function _assertRevertsAtEveryIndex(address predicate, bytes4 selector, bool negate) private {
        for (uint256 index = 0; index < 8; index++) {
            Term[] memory terms = _repeat(_is(address(grantingPredicate)), 8);
            terms[index] = Term({ predicate: predicate, negate: negate });
            bytes memory expected = selector == ICompositePredicate.InvalidAccessPredicate.selector
                ? abi.encodeWithSelector(selector, predicate)
                : abi.encodeWithSelector(selector, index, predicate);
            _expectRevert(expected);
            composite.setComposition(toolId, ANY, terms);
        }
    }

    function _registerByCaller() private returns (uint256) {
        (, bytes memory returndata,) = caller.execute(
            address(registry),
            AMPLE_GAS,
            abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(composite)))
        );
        return abi.decode(returndata, (uint256));
    }

    /// @dev The number of gas limits from 20,000 to 250,000 at which the term is accepted.
    function _sweep(Term memory term) private returns (uint256 accepted) {
        uint256 callerTool = _registerByCaller();
        bytes memory set =
            abi.encodeWithSignature("setComposition(uint256,uint8,(address,bool)[])", callerTool, ALL, _terms(term));
        for (uint256 gasLimit = 20_000; gasLimit < 250_000; gasLimit += 61) {
            (bool success,,) = caller.execute(address(composite), gasLimit, set);
            if (success) accepted++;
        }
    }

    function _assertOnlyLogs(uint8 op, Term[] memory terms, uint256[] memory termGas) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 2, "number of logs is not two");
        assertEq(logs[0].emitter, address(composite), "the log has another emitter");
        assertEq(logs[0].topics.length, 2, "topics");
        assertEq(logs[0].topics[0], keccak256("CompositionSet(uint256,uint8,(address,bool)[])"), "topic 0");
        assertEq(logs[0].topics[1], bytes32(toolId), "topic 1");
        assertEq(logs[0].data, abi.encode(op, terms), "log data");
        assertEq(logs[1].emitter, address(composite), "the second log has another emitter");
        assertEq(logs[1].topics.length, 2, "topics of the second log");
        assertEq(logs[1].topics[0], keccak256("TermGasSet(uint256,uint256[])"), "topic 0 of the second log");
        assertEq(logs[1].topics[1], bytes32(toolId), "topic 1 of the second log");
        assertEq(logs[1].data, abi.encode(termGas), "data of the second log");
    }
}
