// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { Access } from "test/support/Access.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";
import { KleeneEvaluator, Tree } from "test/support/KleeneEvaluator.sol";
import { Random } from "test/support/Random.sol";

/// @dev Trees with three levels of composites, each a separate deployment, and leaves on every level.
contract CompositeHasAccessFuzzTest is CompositeFixture {
    /// @dev Maximum terms per level, and stipend of a term: it covers what a composite of the next level needs.
    uint256 private constant DEPTH = 3;
    uint256[3] private widths = [2, 2, 3];
    uint256[3] private stipends = [78_000, 30_000, 3000];

    ICompositePredicate[] private deployments;
    uint256 private used;
    address private burner;
    address private nonBoolean;

    function setUp() public override {
        super.setUp();
        deployments.push(composite);
        for (uint256 i = 0; i < 6; i++) {
            deployments.push(ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry))));
        }
        burner = address(new GasBurner());
        nonBoolean = address(new NonBooleanReturnPredicate(0xffffffff));
    }

    function testFuzz_MatchesEvaluator(uint256 seed) external {
        bytes memory data = seed % 2 == 0 ? reader.PASSWORD() : bytes("junk");
        Random memory random = Random(seed);
        (, Tree memory tree) = _randomTree(random, 0, seed % 2 == 0);
        Access expected = KleeneEvaluator.evaluate(tree);
        assertResult(_access(composite, data), expected, "composite");
        assertAccess(registry, toolId, agent, data, expected != Access.Unknown, expected == Access.Granted);
    }

    function testFuzz_IndependentOfGas(uint256 seed, uint256 gasLimit) external {
        Random memory random = Random(seed);
        (, Tree memory tree) = _randomTree(random, 0, false);
        Access expected = KleeneEvaluator.evaluate(tree);
        for (uint256 i = 0; i < 8; i++) {
            gasLimit = bound(uint256(keccak256(abi.encode(gasLimit))), 20_000, 300_000);
            Access access = _accessWithGas(address(composite), agent, gasLimit);
            assertTrue(access == expected || access == Access.Unknown, "result depends on gas");
        }
    }

    function testFuzz_IndependentOfData(uint256 seed, bytes memory data, bytes[] memory entries) external {
        _assumeNotPassword(data);
        for (uint256 i = 0; i < entries.length; i++) {
            _assumeNotPassword(entries[i]);
        }
        Random memory random = Random(seed);
        (, Tree memory tree) = _randomTree(random, 0, false);
        Access expected = KleeneEvaluator.evaluate(tree);
        bytes[4] memory variants =
            [data, _perTerm(entries), abi.encodePacked(PER_TERM, data), abi.encodePacked(NEGATED)];
        for (uint256 i = 0; i < variants.length; i++) {
            Access access = _access(composite, variants[i]);
            assertTrue(access == expected || access == Access.Unknown, "result depends on data");
        }
    }

    /// @dev The fuzzer finds the password in the bytecode and tries it.
    function _assumeNotPassword(bytes memory data) private view {
        vm.assume(keccak256(data) != keccak256(reader.PASSWORD()));
    }

    /// @dev A random composite at a level, and its model for the evaluator.
    function _randomTree(Random memory random, uint256 level, bool readerGrants)
        private
        returns (address root, Tree memory tree)
    {
        ICompositePredicate at = deployments[used++];
        uint256 count = random.oneIn(12) ? 0 : 1 + random.below(widths[level]);
        Term[] memory terms = new Term[](count);
        tree.op = uint8(random.below(2));
        tree.negated = new bool[](count);
        tree.terms = new Tree[](count);
        for (uint256 i = 0; i < count; i++) {
            bool isComposite = level + 1 < DEPTH && !random.oneIn(4);
            (terms[i].predicate, tree.terms[i]) =
                isComposite ? _randomTree(random, level + 1, readerGrants) : _randomLeaf(random, readerGrants);
            terms[i].negate = random.oneIn(2) && !tree.terms[i].readsData;
            tree.negated[i] = terms[i].negate;
        }
        if (count < 2 || random.oneIn(2)) {
            _compose(at, tree.op, terms, stipends[level] * count);
            return (address(at), tree);
        }
        return (address(at), _composeClauses(at, level, terms, tree, 2 + random.below(count - 1)));
    }

    /// @dev Composes a clause of the first `count` terms and one of the others, and returns the model.
    function _composeClauses(
        ICompositePredicate at,
        uint256 level,
        Term[] memory terms,
        Tree memory flat,
        uint256 count
    ) private returns (Tree memory) {
        (Term[] memory start, Term[] memory end) = _split(terms, count);
        Term[][] memory clauses = end.length == 0 ? _clauses(start) : _clauses(start, end);
        _compose(at, flat.op, clauses, _stipends(terms.length, stipends[level]));
        return _withClauses(flat, count);
    }

    /// @dev The first `count` terms, and the others.
    function _split(Term[] memory terms, uint256 count) private pure returns (Term[] memory start, Term[] memory end) {
        start = new Term[](count);
        end = new Term[](terms.length - count);
        for (uint256 i = 0; i < terms.length; i++) {
            if (i < count) start[i] = terms[i];
            else end[i - count] = terms[i];
        }
    }

    /// @dev The model of the same composition with a clause of the first `count` terms and one of the others.
    function _withClauses(Tree memory flat, uint256 count) private pure returns (Tree memory tree) {
        tree.op = flat.op;
        tree.terms = new Tree[](count < flat.terms.length ? 2 : 1);
        tree.negated = new bool[](tree.terms.length);
        for (uint256 i = 0; i < tree.terms.length; i++) {
            uint256 start = i * count;
            uint256 length = i == 0 ? count : flat.terms.length - count;
            tree.terms[i].op = 1 - flat.op;
            tree.terms[i].terms = new Tree[](length);
            tree.terms[i].negated = new bool[](length);
            for (uint256 j = 0; j < length; j++) {
                tree.terms[i].terms[j] = flat.terms[start + j];
                tree.terms[i].negated[j] = flat.negated[start + j];
            }
        }
    }

    function _randomLeaf(Random memory random, bool readerGrants)
        private
        view
        returns (address leaf, Tree memory tree)
    {
        uint256 kind = random.below(8);
        tree.isLeaf = true;
        tree.access = Access.Unknown;
        if (kind == 0) return (burner, tree);
        if (kind == 1) return (nonBoolean, tree);
        if (kind == 2) {
            tree.readsData = true;
            tree.access = readerGrants ? Access.Granted : Access.Denied;
            return (address(reader), tree);
        }
        tree.access = Access(kind % 3);
        return (_leaf(tree.access), tree);
    }
}
