// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
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
import { Access } from "test/support/Access.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";
import { KleeneEvaluator } from "test/support/KleeneEvaluator.sol";

contract CompositeHasAccessTest is CompositeFixture {
    /// @dev A budget that fits a term of a composite with two terms.
    uint256 private constant INNER = 40_000;
    uint256 private constant MAX_BUDGET = 156_000;

    /* RETURN VALUES */

    function test_RevertGiven_NeverConfigured() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        composite.hasAccess(toolId, agent, "");
        assertAccess(registry, toolId, agent, "", false, false);
    }

    function test_GivenThereAreNoTerms() external {
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, new Term[](0));
            assertResult(_access(composite, ""), Access.Denied, "not denied");
            assertResult(_access(composite, _perTerm(new bytes[](0))), Access.Denied, "not denied with data");
        }
        _compose(second, ALL, _terms(_not(address(composite))));
        assertResult(_access(second, ""), Access.Granted, "the negation of Denied is not Granted");
        assertResult(_access(composite, address(0), ""), Access.Denied, "zero address");
    }

    function test_RevertWhen_AccountIsZero() external {
        // The terms deny access to the zero address, so a negation would grant it.
        address[3] memory leaves = [address(grantingPredicate), address(denyingPredicate), address(revertingPredicate)];
        for (uint256 i = 0; i < 12; i++) {
            _compose(composite, uint8(i % 2), _terms(Term({ predicate: leaves[i / 4], negate: i / 2 % 2 == 1 })));
            vm.expectRevert(ICompositePredicate.ZeroAccount.selector);
            composite.hasAccess(toolId, address(0), "");
            assertAccess(registry, toolId, address(0), "", false, false);
        }
    }

    function test_GivenOneTerm() external {
        // Kleene's truth tables; rows and columns in the order Denied, Unknown, Granted.
        assertResult(_combined(ALL, Access.Denied), Access.Denied, "ALL of Denied");
        assertResult(_combined(ANY, Access.Granted), Access.Granted, "ANY of Granted");
        _assertTable(1);
    }

    function test_GivenTwoTerms() external {
        bytes memory all = "000011012";
        bytes memory any = "012112222";
        for (uint8 i = 0; i < 9; i++) {
            Term[] memory terms = _terms(_is(_leaf(Access(i / 3))), _is(_leaf(Access(i % 3))));
            _compose(composite, ALL, terms);
            assertEq(uint256(_access(composite, "")), uint8(all[i]) - 48, "ALL");
            _compose(composite, ANY, terms);
            assertEq(uint256(_access(composite, "")), uint8(any[i]) - 48, "ANY");
        }
        _assertTable(2);
    }

    function test_GivenThreeTerms() external {
        _assertTable(3);
    }

    function test_GivenTermReverts() external {
        for (uint8 op = 0; op < 2; op++) {
            for (uint256 index = 0; index < 8; index++) {
                Term[] memory terms =
                    _repeat(_is(op == ALL ? address(grantingPredicate) : address(denyingPredicate)), 8);
                terms[index] = index % 2 == 0 ? _is(address(revertingPredicate)) : _not(address(revertingPredicate));
                _compose(composite, op, terms);
                vm.expectRevert(abi.encodeWithSelector(IPredicate.CallFailed.selector, address(revertingPredicate)));
                composite.hasAccess(toolId, agent, "");
                assertAccess(registry, toolId, agent, "", false, false);
            }
        }
    }

    function test_GivenTermFails() external {
        address[6] memory broken = [
            address(new GasBurner()),
            address(new InvalidOpcodePredicate()),
            address(new OversizeReturnPredicate(31)),
            address(new OversizeRevertPredicate(32)),
            address(new RevertingWithTruePredicate()),
            address(new NonBooleanReturnPredicate(0xffffffff))
        ];
        for (uint256 i = 0; i < broken.length; i++) {
            _assertFails(broken[i]);
        }
        PresetResponsePredicate preset = new PresetResponsePredicate();
        bytes[4] memory results = [
            bytes(""), abi.encode(true, ""), abi.encodePacked(abi.encode(true), hex"00"), abi.encode(type(uint256).max)
        ];
        for (uint256 i = 0; i < results.length; i++) {
            preset.setHasAccess(true, results[i]);
            _assertFails(address(preset));
        }
        // These report every interface, so they cannot be negated.
        _compose(composite, ANY, _terms(_is(address(new OversizeReturnPredicate(60_000)))));
        assertResult(_access(composite, ""), Access.Unknown, "huge return data");
        _compose(composite, ANY, _terms(_is(address(new StorageWritingPredicate()))));
        assertResult(_access(composite, ""), Access.Unknown, "writes");
    }

    function test_GivenTermLosesItsCode() external {
        address removed = address(new GrantingPredicate());
        address removedSecond = address(new GrantingPredicate());
        _compose(composite, ANY, _terms(_is(removed)));
        _compose(second, ALL, _terms(_not(removedSecond)));
        assertResult(_access(composite, ""), Access.Granted, "with code");
        vm.etch(removed, "");
        vm.etch(removedSecond, "");
        assertResult(_access(composite, ""), Access.Unknown, "without code");
        assertResult(_access(second, ""), Access.Unknown, "negated, without code");
    }

    function test_WhenCallerVaries() external {
        // B-10: the result depends on the account, not on the caller.
        ExpectedCallPredicate expecting = new ExpectedCallPredicate();
        expecting.expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "")));
        _compose(composite, ALL, _terms(_is(address(expecting))));
        address[4] memory callers = [agent, eve, creator, address(registry)];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.startPrank(callers[i], callers[i]);
            assertTrue(composite.hasAccess(toolId, agent, ""), "the result depends on the caller");
            assertFalse(composite.hasAccess(toolId, eve, ""), "the result does not depend on the account");
            vm.stopPrank();
        }
    }

    /* NESTING */

    function test_GivenNestedAndUnderOr() external {
        // B-09: flattened under OR, the first entry of the inner list would grant everyone access.
        _compose(second, ALL, _terms(_is(address(grantingPredicate)), _is(address(denyingPredicate))), INNER);
        _compose(composite, ANY, _terms(_is(address(second)), _is(address(denyingPredicate))));
        assertAccess(registry, toolId, agent, "", true, false);

        _compose(second, ANY, _terms(_is(address(grantingPredicate)), _is(address(denyingPredicate))), INNER);
        _compose(composite, ALL, _terms(_is(address(second)), _not(address(denyingPredicate))));
        assertAccess(registry, toolId, agent, "", true, true);

        // A wrong or missing requirements list has no effect either.
        vm.mockCallRevert(
            address(second), abi.encodeCall(IAccessPredicate.getRequirements, (toolId)), "getRequirements was called"
        );
        assertAccess(registry, toolId, agent, "", true, true);
    }

    /// @dev A composite with the default stipends needs more gas than a term can have.
    function test_RevertGiven_NestedComposite_WithDefaultStipends() external {
        for (uint256 count = 1; count <= 8; count++) {
            _compose(second, ANY, _repeat(_is(address(denyingPredicate)), count));
            uint256 needed = second.gasNeeded(toolId);
            Term[] memory outer = _terms(_is(address(second)));
            vm.expectRevert(abi.encodeWithSelector(ICompositePredicate.InvalidBudget.selector, needed, MAX_BUDGET));
            _compose(composite, ALL, outer);
            vm.expectRevert(
                abi.encodeWithSelector(
                    ICompositePredicate.TermGasTooLow.selector, 0, address(second), needed, MAX_BUDGET
                )
            );
            _compose(composite, ALL, outer, MAX_BUDGET);
        }
    }

    /// @dev The most expensive inner composite: all terms but the last burn their gas, and the last one decides.
    function test_GivenNestedComposite_WithChosenStipends() external {
        address burner = address(new GasBurner());
        uint256 compositions = 0;
        for (uint256 outerTerms = 1; outerTerms <= 4; outerTerms++) {
            Term[] memory outer = _repeat(_is(burner), outerTerms);
            outer[outerTerms - 1] = _is(address(second));
            uint256 share = MAX_BUDGET / outerTerms;
            for (uint256 innerTerms = 1; innerTerms <= 8; innerTerms++) {
                uint256 stipend = share < 8600 + 4000 * innerTerms ? 0 : (share - 8600 - 4000 * innerTerms) / innerTerms;
                stipend = stipend * 63 / 64;
                if (stipend < 3000) continue;
                Term[] memory inner = _repeat(_is(burner), innerTerms);
                inner[innerTerms - 1] = _is(address(grantingPredicate));
                _compose(second, ANY, inner, stipend * innerTerms);
                _compose(composite, ANY, outer, share * outerTerms);
                Access access = _registryAccess(agent, "", AMPLE_GAS);
                string memory label = string.concat(vm.toString(innerTerms), " of ", vm.toString(outerTerms));
                assertResult(access, Access.Granted, string.concat("gasNeeded is too low: ", label));
                compositions++;
            }
        }
        assertGt(compositions, 20, "too few compositions");
    }

    /// @dev A term that is not configured yet reports nothing.
    function test_GivenTermIsConfiguredLater() external {
        _compose(composite, ALL, _terms(_is(address(second)), _is(address(grantingPredicate))));
        assertEq(composite.termGas(toolId)[0], MAX_BUDGET / 2, "stipend of a term that is not configured");
        assertResult(_access(composite, ""), Access.Unknown, "before");
        _compose(second, ANY, _terms(_is(address(grantingPredicate))), 50_000);
        assertResult(_access(composite, ""), Access.Granted, "after");
        // The stipend of the term is not enough for the default stipends of the inner composite.
        _compose(second, ANY, _terms(_is(address(grantingPredicate))));
        assertResult(_access(composite, ""), Access.Unknown, "with the default stipends");
    }

    /* SHARED CALL DATA */

    function test_WhenDataIsShared() external {
        ExpectedCallPredicate[3] memory expecting =
            [new ExpectedCallPredicate(), new ExpectedCallPredicate(), new ExpectedCallPredicate()];
        _compose(
            composite, ALL, _terms(_is(address(expecting[0])), _is(address(expecting[1])), _is(address(expecting[2])))
        );
        bytes[6] memory data = [
            bytes(""), hex"00", "three", abi.encodePacked(bytes4(PER_TERM) >> 8), abi.encodePacked(NEGATED, hex"00"), ""
        ];
        data[5] = bytes(_textOf(1000));
        for (uint256 i = 0; i < data.length; i++) {
            bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, data[i]));
            for (uint256 j = 0; j < 3; j++) {
                expecting[j].expect(address(composite), callData);
            }
            assertResult(_access(composite, data[i]), Access.Granted, "the data arrived modified");
        }
    }

    function test_WhenDataIsShared_Negated() external {
        ExpectedCallPredicate expecting = new ExpectedCallPredicate();
        expecting.expect(
            address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, abi.encodePacked(NEGATED)))
        );
        _compose(composite, ALL, _terms(_not(address(expecting))));
        bytes[4] memory data = [bytes(""), "junk", abi.encodePacked(NEGATED), abi.encodePacked(bytes32(0))];
        for (uint256 i = 0; i < data.length; i++) {
            assertResult(_access(composite, data[i]), Access.Denied, "a negated term received other data");
        }
        assertEq(composite.NEGATED(), NEGATED, "NEGATED selector");
        assertEq(composite.PER_TERM(), PER_TERM, "PER_TERM selector");
    }

    /* CALL DATA PER TERM */

    function test_WhenDataIsPerTerm() external {
        ExpectedCallPredicate[3] memory expecting =
            [new ExpectedCallPredicate(), new ExpectedCallPredicate(), new ExpectedCallPredicate()];
        bytes[] memory entries = new bytes[](3);
        (entries[0], entries[1], entries[2]) = ("first", "second, for a negated term", bytes(_textOf(100)));
        expecting[0].expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, entries[0])));
        expecting[1].expect(
            address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, abi.encodePacked(NEGATED)))
        );
        expecting[2].expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, entries[2])));

        _compose(composite, ALL, _terms(_is(address(expecting[0])), _is(address(expecting[2]))));
        bytes[] memory two = new bytes[](2);
        (two[0], two[1]) = (entries[0], entries[2]);
        assertResult(_access(composite, _perTerm(two)), Access.Granted, "a term received the wrong entry");
        (two[0], two[1]) = (entries[2], entries[0]);
        assertResult(_access(composite, _perTerm(two)), Access.Denied, "the order of entries has no effect");

        _compose(composite, ANY, _terms(_not(address(expecting[1]))));
        bytes[] memory single = new bytes[](1);
        single[0] = entries[1];
        assertResult(_access(composite, _perTerm(single)), Access.Denied, "a negated term received its entry");
    }

    function test_WhenDataIsPerTerm_Nested() external {
        ExpectedCallPredicate expecting = new ExpectedCallPredicate();
        expecting.expect(address(second), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "inner")));
        _compose(second, ALL, _terms(_is(address(grantingPredicate)), _is(address(expecting))), 60_000);
        _compose(composite, ALL, _terms(_is(address(second)), _is(address(reader))));
        bytes[] memory inner = new bytes[](2);
        inner[1] = "inner";
        bytes[] memory outer = new bytes[](2);
        (outer[0], outer[1]) = (_perTerm(inner), reader.PASSWORD());
        assertResult(_access(composite, _perTerm(outer)), Access.Granted, "nested entries did not reach the inner term");
        assertTrue(registry.hasAccess(toolId, agent, _perTerm(outer)), "the registry's result differs");
        inner[1] = "other";
        outer[0] = _perTerm(inner);
        assertResult(_access(composite, _perTerm(outer)), Access.Denied, "wrong inner entry");
        outer[0] = _perTerm(new bytes[](3));
        assertResult(_access(composite, _perTerm(outer)), Access.Unknown, "wrong number of inner entries");
    }

    function test_RevertWhen_EntryCountIsWrong() external {
        _compose(composite, ANY, _repeat(_is(address(grantingPredicate)), 3));
        for (uint256 count = 0; count < 12; count++) {
            if (count == 3) continue;
            vm.expectRevert(abi.encodeWithSelector(ICompositePredicate.WrongNumberOfEntries.selector, count, 3));
            composite.hasAccess(toolId, agent, _perTerm(new bytes[](count)));
        }
        assertResult(_access(composite, _perTerm(new bytes[](3))), Access.Granted, "right number of entries");
    }

    function test_WhenEntriesAreTruncated() external {
        _compose(composite, ANY, _repeat(_is(address(grantingPredicate)), 3));
        bytes[] memory entries = new bytes[](3);
        (entries[0], entries[1], entries[2]) = ("first", "", abi.encode(3));
        bytes memory whole = _perTerm(entries);
        for (uint256 length = 4; length < whole.length; length++) {
            vm.expectRevert(ICompositePredicate.InvalidEntries.selector);
            composite.hasAccess(toolId, agent, _head(whole, length));
        }
        assertResult(_access(composite, whole), Access.Granted, "complete encoding");
    }

    function test_WhenEntriesAreMalformed() external {
        _compose(composite, ANY, _terms(_is(address(grantingPredicate)), _is(address(denyingPredicate))));
        uint256[5] memory offsets = [uint256(0), 31, 33, 2 ** 64, type(uint256).max];
        for (uint256 i = 0; i < offsets.length; i++) {
            _assertInvalidEntries(abi.encode(offsets[i], 2, 64, 64, 0));
        }
        // Offsets and lengths of an entry, and the length of the list, beyond its end.
        uint256[6] memory large = [uint256(97), 128, 2 ** 64, 2 ** 255, type(uint256).max - 31, type(uint256).max];
        for (uint256 i = 0; i < large.length; i++) {
            _assertInvalidEntries(abi.encode(32, 2, large[i], 64, 0));
            _assertInvalidEntries(abi.encode(32, 2, 64, large[i], 0));
            _assertInvalidEntries(abi.encode(32, 2, 64, 64, large[i]));
            vm.expectRevert(abi.encodeWithSelector(ICompositePredicate.WrongNumberOfEntries.selector, large[i], 2));
            composite.hasAccess(toolId, agent, abi.encodePacked(PER_TERM, abi.encode(32, large[i], 64, 64, 0)));
        }
        _assertInvalidEntries(abi.encode(32, 2, 64, 64, 1));
        _assertInvalidEntries(abi.encode(32, 2, 65, 64, 0));
    }

    /// @dev Entries may share bytes, and the last one needs no padding. The entry of a negated term is not read.
    function test_WhenEntriesAreNotCanonical() external {
        ExpectedCallPredicate expecting = new ExpectedCallPredicate();
        expecting.expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, "entry")));
        _compose(composite, ALL, _terms(_is(address(expecting)), _is(address(expecting))));
        bytes memory entry = abi.encodePacked(uint256(5), "entry");
        bytes memory data = abi.encodePacked(PER_TERM, abi.encode(32, 2, 64, 64), entry);
        assertResult(_access(composite, data), Access.Granted, "shared entry without padding");
        _compose(composite, ALL, _terms(_is(address(expecting)), _not(address(denyingPredicate))));
        data = abi.encodePacked(PER_TERM, abi.encode(32, 2, 64, type(uint256).max), entry);
        assertResult(_access(composite, data), Access.Granted, "the entry of a negated term was read");
    }

    /* DATA READERS UNDER A NEGATION */

    function test_GivenNegatedMerkle() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(second, ALL, _terms(_is(address(merkle))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        _assertNeverGranted(data);
        _compose(second, ANY, _terms(_is(address(merkle)), _is(address(denyingPredicate))), INNER);
        _assertNeverGranted(data);
        _compose(third, ALL, _terms(_is(address(second))), 60_000);
        _compose(composite, ANY, _terms(_not(address(third)), _is(address(denyingPredicate))));
        _assertNeverGranted(data);
    }

    function test_GivenDoublyNegatedMerkle() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(third, ANY, _terms(_is(address(merkle))), INNER);
        _compose(second, ALL, _terms(_not(address(third))), 60_000);
        _compose(composite, ALL, _terms(_not(address(second))));
        _assertNeverGranted(data);
    }

    function test_GivenInnerCompositionChanges() external {
        (IMerkleAllowlistPredicate merkle, bytes[] memory data) = _merkle();
        _compose(second, ALL, _terms(_is(address(grantingPredicate))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        assertResult(_access(composite, ""), Access.Denied, "before");
        _compose(second, ALL, _terms(_is(address(merkle))), INNER);
        _assertNeverGranted(data);
        _compose(second, ALL, _terms(_is(address(merkle)), _is(address(grantingPredicate))), INNER);
        _assertNeverGranted(data);
    }

    function test_GivenReaderIsSkipped() external {
        (IMerkleAllowlistPredicate merkle,) = _merkle();
        _compose(second, ALL, _terms(_is(address(merkle)), _is(address(denyingPredicate))), INNER);
        _compose(composite, ALL, _terms(_not(address(second))));
        assertResult(_access(composite, ""), Access.Granted, "a denying term does not decide");
        _compose(second, ANY, _terms(_is(address(merkle)), _is(address(grantingPredicate))), INNER);
        assertResult(_access(composite, "junk"), Access.Denied, "a granting term does not decide");
    }

    /* METADATA */

    function test_Identity() external view {
        // B-02, B-04
        assertIdentity(address(composite), "CompositePredicate", false);
        assertEq(address(composite.REGISTRY()), address(registry), "REGISTRY");
    }

    /* HELPERS */

    function _combined(uint8 op, Access access) private pure returns (Access) {
        Access[] memory results = new Access[](1);
        results[0] = access;
        return KleeneEvaluator.combine(op, results, new bool[](1));
    }

    /// @dev Every combination of operator, results and negations for `count` terms.
    function _assertTable(uint256 count) private {
        for (uint256 row = 0; row < 2 * 6 ** count; row++) {
            uint8 op = uint8(row % 2);
            uint256 rest = row / 2;
            Term[] memory terms = new Term[](count);
            Access[] memory results = new Access[](count);
            bool[] memory negated = new bool[](count);
            for (uint256 i = 0; i < count; i++) {
                results[i] = Access(rest % 3);
                negated[i] = rest / 3 % 2 == 1;
                terms[i] = Term({ predicate: _leaf(results[i]), negate: negated[i] });
                rest /= 6;
            }
            _compose(composite, op, terms);
            Access expected = KleeneEvaluator.combine(op, results, negated);
            assertResult(_access(composite, ""), expected, vm.toString(row));
            assertAccess(registry, toolId, agent, "", expected != Access.Unknown, expected == Access.Granted);
        }
    }

    function _assertFails(address leaf) private {
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, _terms(_is(leaf)));
            assertResult(_access(composite, ""), Access.Unknown, "alone");
            _compose(composite, op, _terms(_not(leaf)));
            assertResult(_access(composite, ""), Access.Unknown, "negated");
        }
        _compose(composite, ANY, _terms(_not(leaf), _is(leaf), _is(address(grantingPredicate))));
        assertResult(_access(composite, ""), Access.Granted, "a granting sibling was ignored");
        _compose(composite, ALL, _terms(_not(leaf), _is(leaf), _is(address(denyingPredicate))));
        assertResult(_access(composite, ""), Access.Denied, "a denying sibling was ignored");
    }

    /// @dev An allowlist that contains the agent, and various data.
    function _merkle() private returns (IMerkleAllowlistPredicate merkle, bytes[] memory data) {
        merkle = IMerkleAllowlistPredicate(_deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)));
        bytes32 sibling = keccak256("sibling");
        bytes32 leaf = merkle.leafOf(toolId, agent);
        vm.prank(creator);
        merkle.setAllowlistRoot(
            toolId, leaf < sibling ? keccak256(abi.encode(leaf, sibling)) : keccak256(abi.encode(sibling, leaf))
        );
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = sibling;
        assertTrue(merkle.hasAccess(toolId, agent, abi.encode(proof)), "the proof is invalid");

        bytes[] memory single = new bytes[](1);
        single[0] = abi.encode(proof);
        bytes[] memory nested = new bytes[](1);
        nested[0] = _perTerm(single);
        bytes[] memory negated = new bytes[](1);
        negated[0] = abi.encodePacked(NEGATED);
        data = new bytes[](9);
        data[1] = "junk";
        data[2] = abi.encode(proof);
        data[3] = abi.encodePacked(NEGATED);
        data[4] = abi.encodePacked(NEGATED, "more data");
        data[5] = _perTerm(single);
        data[6] = _perTerm(nested);
        data[7] = _perTerm(negated);
        data[8] = _perTerm(new bytes[](2));
    }

    function _assertNeverGranted(bytes[] memory data) private {
        for (uint256 i = 0; i < data.length; i++) {
            assertTrue(_access(composite, agent, data[i]) != Access.Granted, "granted to a listed account");
            assertTrue(_access(composite, eve, data[i]) != Access.Granted, "invalid data was granted access");
            assertTrue(
                _registryAccess(eve, data[i], AMPLE_GAS) != Access.Granted,
                "invalid data was granted access by the registry"
            );
        }
    }

    function _assertInvalidEntries(bytes memory arguments) private {
        vm.expectRevert(ICompositePredicate.InvalidEntries.selector);
        composite.hasAccess(toolId, agent, abi.encodePacked(PER_TERM, arguments));
    }
}
