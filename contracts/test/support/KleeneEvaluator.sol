// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The three answers of a predicate.
enum Answer {
    No,
    Unknown,
    Yes
}

/// @notice A tree of predicates: a leaf with its answer, or terms under an operator.
/// @param isLeaf    Whether it is a leaf.
/// @param readsData Whether the leaf reads call data, so that nothing above it may be turned round on its word.
/// @param answer    What the leaf says.
/// @param op        0 for all, 1 for any.
/// @param negated   Which terms count the other way round.
/// @param terms     The terms.
struct Tree {
    bool isLeaf;
    bool readsData;
    Answer answer;
    uint8 op;
    bool[] negated;
    Tree[] terms;
}

/// @notice What a tree of predicates must answer, worked out from the definition: no is 0, cannot tell is 1, yes is 2; all
///         is the minimum, any the maximum, not is 2 minus.
library KleeneEvaluator {
    function evaluate(Tree memory tree) internal pure returns (Answer) {
        return _evaluate(tree, false);
    }

    /// @dev No terms deny everyone, under either operator.
    function combine(uint8 op, Answer[] memory answers, bool[] memory negated) internal pure returns (Answer) {
        if (answers.length == 0) return Answer.No;
        uint256 least = 2;
        uint256 most = 0;
        for (uint256 i = 0; i < answers.length; i++) {
            uint256 value = negated[i] ? 2 - uint256(answers[i]) : uint256(answers[i]);
            if (value < least) least = value;
            if (value > most) most = value;
        }
        return Answer(op == 0 ? least : most);
    }

    function _evaluate(Tree memory tree, bool underNegation) private pure returns (Answer) {
        if (tree.isLeaf) return underNegation && tree.readsData ? Answer.Unknown : tree.answer;
        Answer[] memory answers = new Answer[](tree.terms.length);
        for (uint256 i = 0; i < answers.length; i++) {
            answers[i] = _evaluate(tree.terms[i], underNegation || tree.negated[i]);
        }
        return combine(tree.op, answers, tree.negated);
    }
}
