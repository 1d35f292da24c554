// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GrantingPredicate } from "test/mocks/GrantingPredicate.sol";
import { InvalidOpcodePredicate } from "test/mocks/InvalidOpcodePredicate.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { OversizeRevertPredicate } from "test/mocks/OversizeRevertPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { RevertingWithTruePredicate } from "test/mocks/RevertingWithTruePredicate.sol";
import { StorageWritingPredicate } from "test/mocks/StorageWritingPredicate.sol";
import { CompositeWorld } from "test/support/CompositeWorld.sol";
import { Answer, KleeneEvaluator } from "test/support/KleeneEvaluator.sol";

contract CompositeHasAccessTest is CompositeWorld {
    /// @dev A budget that fits into a term of a composite of two.
    uint256 private constant INNER = 40_000;

    /// @dev What a composite inside needs of its share besides the budget of its terms.
    uint256 private constant OWN_GAS = 11_000;
    uint256 private constant OWN_GAS_PER_TERM = 3500;
    uint256 private constant LEAST_FOR_AN_ANSWER = 1000;

    /* ANSWERS */

    function test_RevertGiven_NeverConfigured() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        composite.hasAccess(toolId, agent, "");
        assertAccess(registry, toolId, agent, "", false, false);
    }

    function test_GivenThereAreNoTerms() external {
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, new Term[](0));
            assertAnswer(_ask(composite, ""), Answer.No, "not a no");
            assertAnswer(_ask(composite, _perTerm(new bytes[](0))), Answer.No, "not a no with data");
        }
        _compose(second, ALL, _terms(_not(address(composite))));
        assertAnswer(_ask(second, ""), Answer.Yes, "the negation of no is not yes");
    }

    function test_GivenOneTerm() external {
        // The tables of the definition, written out: row and column in the order no, cannot tell, yes.
        assertAnswer(_combined(ALL, Answer.No), Answer.No, "all of no");
        assertAnswer(_combined(ANY, Answer.Yes), Answer.Yes, "any of yes");
        _assertTable(1);
    }

    function test_GivenTwoTerms() external {
        bytes memory all = "000011012";
        bytes memory any = "012112222";
        for (uint8 i = 0; i < 9; i++) {
            Term[] memory terms = _terms(_is(_leaf(Answer(i / 3))), _is(_leaf(Answer(i % 3))));
            _compose(composite, ALL, terms);
            assertEq(uint256(_ask(composite, "")), uint8(all[i]) - 48, "ALL");
            _compose(composite, ANY, terms);
            assertEq(uint256(_ask(composite, "")), uint8(any[i]) - 48, "ANY");
        }
        _assertTable(2);
    }

    function test_GivenThreeTerms() external {
        _assertTable(3);
    }

    function test_GivenATermIsSilent() external {
        for (uint8 op = 0; op < 2; op++) {
            for (uint256 index = 0; index < 8; index++) {
                Term[] memory terms = _repeat(_is(op == ALL ? address(yesPredicate) : address(noPredicate)), 8);
                terms[index] = index % 2 == 0 ? _is(address(silentPredicate)) : _not(address(silentPredicate));
                _compose(composite, op, terms);
                vm.expectRevert(abi.encodeWithSelector(IPredicate.NoAnswer.selector, address(silentPredicate)));
                composite.hasAccess(toolId, agent, "");
                assertAccess(registry, toolId, agent, "", false, false);
            }
        }
    }

    function test_GivenATermMalfunctions() external {
        address[6] memory broken = [
            address(new GasBurner()),
            address(new InvalidOpcodePredicate()),
            address(new OversizeReturnPredicate(31)),
            address(new OversizeRevertPredicate(32)),
            address(new RevertingWithTruePredicate()),
            address(new NonBooleanReturnPredicate(0xffffffff))
        ];
        for (uint256 i = 0; i < broken.length; i++) {
            _assertSilent(broken[i]);
        }
        PresetResponsePredicate reciting = new PresetResponsePredicate();
        bytes[4] memory answers = [
            bytes(""), abi.encode(true, ""), abi.encodePacked(abi.encode(true), hex"00"), abi.encode(type(uint256).max)
        ];
        for (uint256 i = 0; i < answers.length; i++) {
            reciting.setHasAccess(true, answers[i]);
            _assertSilent(address(reciting));
        }
        // These claim every interface, so nobody can negate them.
        _compose(composite, ANY, _terms(_is(address(new OversizeReturnPredicate(60_000)))));
        assertAnswer(_ask(composite, ""), Answer.Unknown, "answers hugely");
        _compose(composite, ANY, _terms(_is(address(new StorageWritingPredicate()))));
        assertAnswer(_ask(composite, ""), Answer.Unknown, "writes");
    }

    function test_GivenATermLosesItsCode() external {
        address gone = address(new GrantingPredicate());
        address goneSecond = address(new GrantingPredicate());
        _compose(composite, ANY, _terms(_is(gone)));
        _compose(second, ALL, _terms(_not(goneSecond)));
        assertAnswer(_ask(composite, ""), Answer.Yes, "with code");
        vm.etch(gone, "");
        vm.etch(goneSecond, "");
        assertAnswer(_ask(composite, ""), Answer.Unknown, "without code");
        assertAnswer(_ask(second, ""), Answer.Unknown, "negated, without code");
    }

    function test_WhenAnyoneAsks() external {
        // B-10: the answer is about the account that is named, whoever asks.
        ExpectedCallPredicate echo = new ExpectedCallPredicate();
        echo.expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "")));
        _compose(composite, ALL, _terms(_is(address(echo))));
        address[4] memory askers = [agent, stranger, creator, address(registry)];
        for (uint256 i = 0; i < askers.length; i++) {
            vm.startPrank(askers[i], askers[i]);
            assertTrue(composite.hasAccess(toolId, agent, ""), "the asker made a difference");
            assertFalse(composite.hasAccess(toolId, stranger, ""), "the account made none");
            vm.stopPrank();
        }
    }

    /* NESTING */

    function test_GivenNestedAndUnderOr() external {
        // B-09: the inner list, flattened under OR, would let everyone in by its first entry.
        _compose(second, ALL, _terms(_is(address(yesPredicate)), _is(address(noPredicate))), INNER);
        _compose(composite, ANY, _terms(_is(address(second)), _is(address(noPredicate))));
        assertAccess(registry, toolId, agent, "", true, false);

        _compose(second, ANY, _terms(_is(address(yesPredicate)), _is(address(noPredicate))), INNER);
        _compose(composite, ALL, _terms(_is(address(second)), _not(address(noPredicate))));
        assertAccess(registry, toolId, agent, "", true, true);

        // Nor does a list that is a lie, or none at all, make a difference.
        vm.mockCallRevert(
            address(second), abi.encodeCall(IAccessPredicate.getRequirements, (toolId)), "getRequirements was asked"
        );
        assertAccess(registry, toolId, agent, "", true, true);
    }

    function test_GivenNestedBudgets() external {
        // The worst inner composite: all terms but the last burn what they get, and the last decides.
        address burner = address(new GasBurner());
        for (uint256 outerTerms = 1; outerTerms <= 4; outerTerms++) {
            Term[] memory outer = _repeat(_is(burner), outerTerms);
            outer[outerTerms - 1] = _is(address(second));
            _compose(composite, ANY, outer);
            uint256 share = composite.termGas(toolId);
            for (uint256 innerTerms = 1; innerTerms <= 8; innerTerms++) {
                uint256 own = OWN_GAS + OWN_GAS_PER_TERM * innerTerms;
                if (share < own + LEAST_FOR_AN_ANSWER * innerTerms) continue;
                Term[] memory inner = _repeat(_is(burner), innerTerms);
                inner[innerTerms - 1] = _is(address(yesPredicate));
                _compose(second, ANY, inner, share - own);
                Answer answer = _askRegistry(agent, "", PLENTY);
                string memory what = string.concat(vm.toString(innerTerms), " of ", vm.toString(outerTerms));
                assertAnswer(answer, Answer.Yes, string.concat("the stated budget is too much: ", what));
            }
        }
    }

    /* CALL DATA FOR ALL */

    function test_WhenDataAreShared() external {
        ExpectedCallPredicate[3] memory echoes =
            [new ExpectedCallPredicate(), new ExpectedCallPredicate(), new ExpectedCallPredicate()];
        _compose(composite, ALL, _terms(_is(address(echoes[0])), _is(address(echoes[1])), _is(address(echoes[2]))));
        bytes[6] memory data = [
            bytes(""), hex"00", "three", abi.encodePacked(bytes4(PER_TERM) >> 8), abi.encodePacked(NEGATED, hex"00"), ""
        ];
        data[5] = bytes(_textOf(1000));
        for (uint256 i = 0; i < data.length; i++) {
            bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, data[i]));
            for (uint256 j = 0; j < 3; j++) {
                echoes[j].expect(address(composite), question);
            }
            assertAnswer(_ask(composite, data[i]), Answer.Yes, "the data arrived changed");
        }
    }

    function test_WhenDataAreShared_Negated() external {
        ExpectedCallPredicate echo = new ExpectedCallPredicate();
        echo.expect(
            address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, abi.encodePacked(NEGATED)))
        );
        _compose(composite, ALL, _terms(_not(address(echo))));
        bytes[4] memory data = [bytes(""), "junk", abi.encodePacked(NEGATED), abi.encodePacked(bytes32(0))];
        for (uint256 i = 0; i < data.length; i++) {
            assertAnswer(_ask(composite, data[i]), Answer.No, "a negated term saw something else");
        }
        assertEq(composite.NEGATED(), NEGATED, "the published selector");
        assertEq(composite.PER_TERM(), PER_TERM, "the published selector");
    }

    /* CALL DATA PER TERM */

    function test_WhenDataArePerTerm() external {
        ExpectedCallPredicate[3] memory echoes =
            [new ExpectedCallPredicate(), new ExpectedCallPredicate(), new ExpectedCallPredicate()];
        bytes[] memory entries = new bytes[](3);
        (entries[0], entries[1], entries[2]) = ("first", "second, which nobody is to see", bytes(_textOf(100)));
        echoes[0].expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, entries[0])));
        echoes[1].expect(
            address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, abi.encodePacked(NEGATED)))
        );
        echoes[2].expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, entries[2])));

        _compose(composite, ALL, _terms(_is(address(echoes[0])), _is(address(echoes[2]))));
        bytes[] memory two = new bytes[](2);
        (two[0], two[1]) = (entries[0], entries[2]);
        assertAnswer(_ask(composite, _perTerm(two)), Answer.Yes, "a term got another entry");
        (two[0], two[1]) = (entries[2], entries[0]);
        assertAnswer(_ask(composite, _perTerm(two)), Answer.No, "the order makes no difference");

        _compose(composite, ANY, _terms(_not(address(echoes[1]))));
        bytes[] memory one = new bytes[](1);
        one[0] = entries[1];
        assertAnswer(_ask(composite, _perTerm(one)), Answer.No, "a negated term saw its entry");
    }

    function test_WhenDataArePerTerm_Nested() external {
        ExpectedCallPredicate echo = new ExpectedCallPredicate();
        echo.expect(address(second), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "inner")));
        _compose(second, ALL, _terms(_is(address(yesPredicate)), _is(address(echo))), 60_000);
        _compose(composite, ALL, _terms(_is(address(second)), _is(address(reader))));
        bytes[] memory inner = new bytes[](2);
        inner[1] = "inner";
        bytes[] memory outer = new bytes[](2);
        (outer[0], outer[1]) = (_perTerm(inner), reader.PASSWORD());
        assertAnswer(_ask(composite, _perTerm(outer)), Answer.Yes, "nested entries did not arrive");
        assertTrue(registry.hasAccess(toolId, agent, _perTerm(outer)), "not through the registry");
        inner[1] = "other";
        outer[0] = _perTerm(inner);
        assertAnswer(_ask(composite, _perTerm(outer)), Answer.No, "another inner entry");
        outer[0] = _perTerm(new bytes[](3));
        assertAnswer(_ask(composite, _perTerm(outer)), Answer.Unknown, "a wrong inner count");
    }

    function test_RevertWhen_EntriesAreMoreOrFewer() external {
        _compose(composite, ANY, _repeat(_is(address(yesPredicate)), 3));
        for (uint256 count = 0; count < 12; count++) {
            if (count == 3) continue;
            vm.expectRevert(abi.encodeWithSelector(ICompositePredicate.WrongNumberOfEntries.selector, count, 3));
            composite.hasAccess(toolId, agent, _perTerm(new bytes[](count)));
        }
        assertAnswer(_ask(composite, _perTerm(new bytes[](3))), Answer.Yes, "the right count");
    }

    function test_WhenEntriesAreTruncated() external {
        _compose(composite, ANY, _repeat(_is(address(yesPredicate)), 3));
        bytes[] memory entries = new bytes[](3);
        (entries[0], entries[1], entries[2]) = ("first", "", abi.encode(3));
        bytes memory whole = _perTerm(entries);
        for (uint256 length = 4; length < whole.length; length++) {
            bytes memory head = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                head[i] = whole[i];
            }
            assertAnswer(_ask(composite, head), Answer.Unknown, "a truncated encoding was read");
        }
        assertAnswer(_ask(composite, whole), Answer.Yes, "the whole");
    }

    function test_WhenEntriesAreMalformed() external {
        _compose(composite, ANY, _terms(_is(address(yesPredicate)), _not(address(noPredicate))));
        bytes[6] memory junk = [
            abi.encodePacked(PER_TERM, new bytes(32)),
            abi.encodePacked(PER_TERM, type(uint256).max),
            abi.encodePacked(PER_TERM, uint256(32), type(uint256).max),
            abi.encodePacked(PER_TERM, uint256(32), uint256(2), uint256(64), type(uint256).max),
            abi.encodePacked(PER_TERM, uint256(32), uint256(2), uint256(64), uint256(64), type(uint256).max),
            abi.encodePacked(PER_TERM, uint256(32), uint256(2 ** 64 - 1), uint256(64), uint256(64), uint256(0))
        ];
        for (uint256 i = 0; i < junk.length; i++) {
            assertAnswer(_ask(composite, junk[i]), Answer.Unknown, "a wrong encoding was read");
        }
    }

    /* DATA READERS UNDER A NEGATION */

    function test_GivenNegatedMerkle() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(second, ALL, _terms(_is(address(merkle))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        _assertNeverYes(data);
        _compose(second, ANY, _terms(_is(address(merkle)), _is(address(noPredicate))), INNER);
        _assertNeverYes(data);
        _compose(third, ALL, _terms(_is(address(second))), 60_000);
        _compose(composite, ANY, _terms(_not(address(third)), _is(address(noPredicate))));
        _assertNeverYes(data);
    }

    function test_GivenTwiceNegatedMerkle() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(third, ANY, _terms(_is(address(merkle))), INNER);
        _compose(second, ALL, _terms(_not(address(third))), 60_000);
        _compose(composite, ALL, _terms(_not(address(second))));
        _assertNeverYes(data);
    }

    function test_GivenInnerIsChangedAfterwards() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(second, ALL, _terms(_is(address(yesPredicate))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        assertAnswer(_ask(composite, ""), Answer.No, "before");
        _compose(second, ALL, _terms(_is(address(merkle))), INNER);
        _assertNeverYes(data);
        _compose(second, ALL, _terms(_is(address(merkle)), _is(address(yesPredicate))), INNER);
        _assertNeverYes(data);
    }

    function test_GivenReaderIsPassedOver() external {
        (IMerkleAllowlistPredicate merkle,) = _merkle();
        _compose(second, ALL, _terms(_is(address(merkle)), _is(address(noPredicate))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        assertAnswer(_ask(composite, ""), Answer.Yes, "the inner no does not hang on the reader");
        _compose(second, ANY, _terms(_is(address(merkle)), _is(address(yesPredicate))), INNER);
        assertAnswer(_ask(composite, "junk"), Answer.No, "the inner yes does not hang on the reader");
    }

    /* WHAT IT SAYS OF ITSELF */

    function test_Identity() external view {
        // B-02, B-04
        assertEq(composite.name(), "CompositePredicate", "name");
        assertGt(bytes(composite.version()).length, 0, "version");
        assertEq(address(composite.REGISTRY()), address(registry), "REGISTRY");
        assertTrue(composite.supportsInterface(type(IERC165).interfaceId), "IERC165");
        assertTrue(composite.supportsInterface(type(IAccessPredicate).interfaceId), "IAccessPredicate");
        assertFalse(composite.supportsInterface(type(IReadsCallData).interfaceId), "IReadsCallData");
        assertFalse(composite.supportsInterface(0xffffffff), "0xffffffff");
    }

    /* SUPPORT */

    function _combined(uint8 op, Answer answer) private pure returns (Answer) {
        Answer[] memory answers = new Answer[](1);
        answers[0] = answer;
        return KleeneEvaluator.combine(op, answers, new bool[](1));
    }

    /// @dev Every operator, answer and negation of `count` terms.
    function _assertTable(uint256 count) private {
        for (uint256 row = 0; row < 2 * 6 ** count; row++) {
            uint8 op = uint8(row % 2);
            uint256 rest = row / 2;
            Term[] memory terms = new Term[](count);
            Answer[] memory answers = new Answer[](count);
            bool[] memory negated = new bool[](count);
            for (uint256 i = 0; i < count; i++) {
                answers[i] = Answer(rest % 3);
                negated[i] = rest / 3 % 2 == 1;
                terms[i] = Term({ predicate: _leaf(answers[i]), negate: negated[i] });
                rest /= 6;
            }
            _compose(composite, op, terms);
            Answer expected = KleeneEvaluator.combine(op, answers, negated);
            assertAnswer(_ask(composite, ""), expected, vm.toString(row));
            assertAccess(registry, toolId, agent, "", expected != Answer.Unknown, expected == Answer.Yes);
        }
    }

    function _assertSilent(address leaf) private {
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, _terms(_is(leaf)));
            assertAnswer(_ask(composite, ""), Answer.Unknown, "alone");
            _compose(composite, op, _terms(_not(leaf)));
            assertAnswer(_ask(composite, ""), Answer.Unknown, "negated");
        }
        _compose(composite, ANY, _terms(_not(leaf), _is(leaf), _is(address(yesPredicate))));
        assertAnswer(_ask(composite, ""), Answer.Yes, "a sibling's yes was lost");
        _compose(composite, ALL, _terms(_not(leaf), _is(leaf), _is(address(noPredicate))));
        assertAnswer(_ask(composite, ""), Answer.No, "a sibling's no was lost");
    }

    /// @dev A list with the agent on it, and data of every sort.
    function _merkle() private returns (IMerkleAllowlistPredicate merkle, bytes[] memory data) {
        merkle = IMerkleAllowlistPredicate(_deployShipped("MerkleAllowlistPredicate", abi.encode(registry)));
        bytes32 sibling = keccak256("sibling");
        bytes32 leaf = merkle.leafOf(toolId, agent);
        vm.prank(creator);
        merkle.setAllowlistRoot(
            toolId, leaf < sibling ? keccak256(abi.encode(leaf, sibling)) : keccak256(abi.encode(sibling, leaf))
        );
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = sibling;
        assertTrue(merkle.hasAccess(toolId, agent, abi.encode(proof)), "the proof is no good");

        bytes[] memory one = new bytes[](1);
        one[0] = abi.encode(proof);
        bytes[] memory nested = new bytes[](1);
        nested[0] = _perTerm(one);
        bytes[] memory negated = new bytes[](1);
        negated[0] = abi.encodePacked(NEGATED);
        data = new bytes[](9);
        data[1] = "junk";
        data[2] = abi.encode(proof);
        data[3] = abi.encodePacked(NEGATED);
        data[4] = abi.encodePacked(NEGATED, "more");
        data[5] = _perTerm(one);
        data[6] = _perTerm(nested);
        data[7] = _perTerm(negated);
        data[8] = _perTerm(new bytes[](2));
    }

    function _assertNeverYes(bytes[] memory data) private {
        for (uint256 i = 0; i < data.length; i++) {
            assertTrue(_ask(composite, agent, data[i]) != Answer.Yes, "yes to an account on the list");
            assertTrue(_ask(composite, stranger, data[i]) != Answer.Yes, "junk became a yes");
            assertTrue(_askRegistry(stranger, data[i], PLENTY) != Answer.Yes, "junk became a yes at the registry");
        }
    }
}
