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
            composite.setComposition(toolId, ALL, terms, 1000);
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
        assertEq(composite.MAX_TERMS(), 8, "MAX_TERMS");
        assertTrue(registry.hasAccess(toolId, agent, ""), "eight granting terms do not grant");
    }

    function test_RevertWhen_TooManyTerms() external {
        for (uint256 count = 9; count < 40; count += 10) {
            _expectRevert(abi.encodeWithSelector(ICompositePredicate.TooManyTerms.selector, count, 8));
            composite.setComposition(toolId, ANY, _repeat(_is(address(grantingPredicate)), count));
        }
    }

    function test_RevertWhen_BudgetIsOutOfBounds() external {
        uint256[5] memory budgets = [uint256(0), 7, 160_001, 2 ** 32 + 8, type(uint256).max];
        for (uint256 i = 0; i < budgets.length; i++) {
            _expectRevert(
                abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, budgets[i], uint256(150_000))
            );
            composite.setComposition(toolId, ALL, _terms(_is(address(grantingPredicate))), budgets[i]);
        }
    }

    function test_WhenBudgetIsAtBounds() external {
        _compose(composite, ALL, _repeat(_is(address(grantingPredicate)), 8), 8);
        assertEq(composite.termGas(toolId), 1, "gas per term of the lowest budget");
        _compose(composite, ALL, _terms(_is(address(grantingPredicate))), 150_000);
        assertEq(composite.termGas(toolId), 150_000, "gas per term of the whole budget");
        assertEq(composite.MAX_BUDGET(), 150_000, "MAX_BUDGET");
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
            _assertRevertsAtEveryIndex(others[i], ICompositePredicate.InvalidTerm.selector, true);
            _assertRevertsAtEveryIndex(others[i], ICompositePredicate.InvalidTerm.selector, false);
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
            _deployArtifact("AccessProofPredicate", ""),
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
            _assertOnlyLogs(op, terms, 50_000);
            assertEq(composite.getOp(toolId), op, "getOp");
            assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
            assertEq(composite.termGas(toolId), 50_000, "termGas");
        }
        assertEq(composite.getTerms(other).length, 0, "another tool's terms changed");
        assertEq(composite.getOp(other), 0, "another tool's operator changed");
        assertEq(composite.termGas(other), 0, "another tool's gas per term changed");
    }

    function test_WhenSetAgain() external {
        _compose(composite, ANY, _repeat(_is(address(grantingPredicate)), 8));
        Term[] memory terms = _terms(_not(address(grantingPredicate)));
        _compose(composite, ALL, terms, 40_000);
        assertEq(composite.getOp(toolId), ALL, "getOp");
        assertEq(abi.encode(composite.getTerms(toolId)), abi.encode(terms), "getTerms");
        assertEq(composite.termGas(toolId), 40_000, "termGas");
        assertFalse(registry.hasAccess(toolId, agent, ""), "the old composition is still used");
    }

    function test_WhenBudgetIsGiven() external {
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = _repeat(_is(address(grantingPredicate)), count);
            vm.recordLogs();
            _compose(composite, ALL, terms, 50_001);
            _assertOnlyLogs(ALL, terms, 50_001 / count);
            assertEq(composite.termGas(toolId), 50_001 / count, "gas per term is not an equal share of the budget");
            _compose(composite, ALL, terms);
            assertEq(
                composite.termGas(toolId), 150_000 / count, "gas per term is not an equal share of the default budget"
            );
            address account = address(uint160(1000 + count));
            bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, ""));
            vm.expectCall(address(grantingPredicate), 0, uint64(150_000 / count), callData, uint64(count));
            assertTrue(composite.hasAccess(toolId, account, ""), "result");
        }
    }

    function test_WhenThereAreNoTerms() external {
        _compose(composite, ANY, _terms(_is(address(grantingPredicate))));
        for (uint8 op = 0; op < 2; op++) {
            vm.recordLogs();
            _compose(composite, op, new Term[](0));
            _assertOnlyLogs(op, new Term[](0), 0);
            assertEq(composite.getTerms(toolId).length, 0, "number of terms is not zero");
            assertEq(composite.termGas(toolId), 0, "gas per term is not zero");
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
            _expectRevert(abi.encodeWithSelector(selector, index, predicate));
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

    function _assertOnlyLogs(uint8 op, Term[] memory terms, uint256 termGas) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 2, "number of logs is not two");
        assertEq(logs[0].emitter, address(composite), "the log has another emitter");
        assertEq(logs[0].topics.length, 2, "topics");
        assertEq(logs[0].topics[0], keccak256("CompositionSet(uint256,uint8,(address,bool)[])"), "topic 0");
        assertEq(logs[0].topics[1], bytes32(toolId), "topic 1");
        assertEq(logs[0].data, abi.encode(op, terms), "log data");
        assertEq(logs[1].emitter, address(composite), "the second log has another emitter");
        assertEq(logs[1].topics.length, 2, "topics of the second log");
        assertEq(logs[1].topics[0], keccak256("TermGasSet(uint256,uint256)"), "topic 0 of the second log");
        assertEq(logs[1].topics[1], bytes32(toolId), "topic 1 of the second log");
        assertEq(logs[1].data, abi.encode(termGas), "data of the second log");
    }
}
