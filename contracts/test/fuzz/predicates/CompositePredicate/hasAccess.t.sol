// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonBooleanReturnPredicate } from "test/mocks/NonBooleanReturnPredicate.sol";
import { CompositeWorld } from "test/support/CompositeWorld.sol";
import { Dice } from "test/support/Dice.sol";
import { Answer, KleeneEvaluator, Tree } from "test/support/KleeneEvaluator.sol";

/// @dev A tree has composites on three floors, each a deployment of its own, and leaves on every floor.
contract CompositeHasAccessFuzzTest is CompositeWorld {
    /// @dev Most terms, and the gas of all together, by floor: what a floor gives a term covers what the manual says the one
    ///      below needs.
    uint256 private constant DEPTH = 3;
    uint256[3] private widths = [2, 2, 3];
    uint256[3] private budgets = [150_000, 55_000, 5500];

    ICompositePredicate[] private deployments;
    uint256 private used;
    address private burner;
    address private nonsense;

    function setUp() public override {
        super.setUp();
        deployments.push(composite);
        for (uint256 i = 0; i < 6; i++) {
            deployments.push(ICompositePredicate(_deployShipped("CompositePredicate", abi.encode(registry))));
        }
        burner = address(new GasBurner());
        nonsense = address(new NonBooleanReturnPredicate(0xffffffff));
    }

    function testFuzz_AnswersAsTheEvaluator(uint256 seed) external {
        bytes memory data = seed % 2 == 0 ? reader.PASSWORD() : bytes("junk");
        Dice memory dice = Dice(seed);
        (, Tree memory tree) = _plant(dice, 0, seed % 2 == 0);
        Answer expected = KleeneEvaluator.evaluate(tree);
        assertAnswer(_ask(composite, data), expected, "the composite");
        assertAccess(registry, toolId, agent, data, expected != Answer.Unknown, expected == Answer.Yes);
    }

    function testFuzz_NoGasMakesAnotherAnswer(uint256 seed, uint256 gasLimit) external {
        Dice memory dice = Dice(seed);
        (, Tree memory tree) = _plant(dice, 0, false);
        Answer expected = KleeneEvaluator.evaluate(tree);
        for (uint256 i = 0; i < 8; i++) {
            gasLimit = bound(uint256(keccak256(abi.encode(gasLimit))), 20_000, 300_000);
            Answer answer = _askWithGas(address(composite), agent, gasLimit);
            assertTrue(answer == expected || answer == Answer.Unknown, "another answer with another gas");
        }
    }

    function testFuzz_NoDataMakeAnotherAnswer(uint256 seed, bytes memory data, bytes[] memory entries) external {
        _assumeJunk(data);
        for (uint256 i = 0; i < entries.length; i++) {
            _assumeJunk(entries[i]);
        }
        Dice memory dice = Dice(seed);
        (, Tree memory tree) = _plant(dice, 0, false);
        Answer withJunk = KleeneEvaluator.evaluate(tree);
        bytes[4] memory variants =
            [data, _perTerm(entries), abi.encodePacked(PER_TERM, data), abi.encodePacked(NEGATED)];
        for (uint256 i = 0; i < variants.length; i++) {
            Answer answer = _ask(composite, variants[i]);
            assertTrue(answer == withJunk || answer == Answer.Unknown, "junk made another answer");
        }
    }

    /// @dev The fuzzer finds the password in the code, and tries it.
    function _assumeJunk(bytes memory data) private view {
        vm.assume(keccak256(data) != keccak256(reader.PASSWORD()));
    }

    /// @dev A composite on a floor, set up at random, and what the evaluator is to know of it.
    function _plant(Dice memory dice, uint256 floor, bool readerOpens)
        private
        returns (address planted, Tree memory tree)
    {
        ICompositePredicate at = deployments[used++];
        uint256 count = dice.oneIn(12) ? 0 : 1 + dice.roll(widths[floor]);
        Term[] memory terms = new Term[](count);
        tree.op = uint8(dice.roll(2));
        tree.negated = new bool[](count);
        tree.terms = new Tree[](count);
        for (uint256 i = 0; i < count; i++) {
            bool isComposite = floor + 1 < DEPTH && !dice.oneIn(4);
            (terms[i].predicate, tree.terms[i]) =
                isComposite ? _plant(dice, floor + 1, readerOpens) : _pick(dice, readerOpens);
            terms[i].negate = dice.oneIn(2) && !tree.terms[i].readsData;
            tree.negated[i] = terms[i].negate;
        }
        _compose(at, tree.op, terms, budgets[floor] * (count == 0 ? 1 : count) / widths[floor]);
        return (address(at), tree);
    }

    function _pick(Dice memory dice, bool readerOpens) private view returns (address leaf, Tree memory tree) {
        uint256 kind = dice.roll(8);
        tree.isLeaf = true;
        tree.answer = Answer.Unknown;
        if (kind == 0) return (burner, tree);
        if (kind == 1) return (nonsense, tree);
        if (kind == 2) {
            tree.readsData = true;
            tree.answer = readerOpens ? Answer.Yes : Answer.No;
            return (address(reader), tree);
        }
        tree.answer = Answer(kind % 3);
        return (_leaf(tree.answer), tree);
    }
}
