// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Access } from "test/support/Access.sol";

/// @notice A tree of predicates: a leaf with its result, or terms under an operator.
/// @param isLeaf    True for a leaf.
/// @param readsData True if the leaf reads call data, so its result must not be used under a negation.
/// @param access    The leaf's result.
/// @param op        0 for all, 1 for any.
/// @param negated   Which terms are negated.
/// @param terms     The terms.
struct Tree {
    bool isLeaf;
    bool readsData;
    Access access;
    uint8 op;
    bool[] negated;
    Tree[] terms;
}

/// @notice The expected result of a tree in Kleene's three-valued logic: Denied is 0, Unknown is 1, Granted is 2; ALL is the
///         minimum, ANY is the maximum, NOT is 2 minus the value.
library KleeneEvaluator {
    function evaluate(Tree memory tree) internal pure returns (Access) {
        return _evaluate(tree, false);
    }

    /// @dev A composition without terms denies access to every account, under either operator.
    function combine(uint8 op, Access[] memory results, bool[] memory negated) internal pure returns (Access) {
        if (results.length == 0) return Access.Denied;
        uint256 lowest = 2;
        uint256 highest = 0;
        for (uint256 i = 0; i < results.length; i++) {
            uint256 value = negated[i] ? 2 - uint256(results[i]) : uint256(results[i]);
            if (value < lowest) lowest = value;
            if (value > highest) highest = value;
        }
        return Access(op == 0 ? lowest : highest);
    }

    function _evaluate(Tree memory tree, bool underNegation) private pure returns (Access) {
        if (tree.isLeaf) return underNegation && tree.readsData ? Access.Unknown : tree.access;
        Access[] memory results = new Access[](tree.terms.length);
        for (uint256 i = 0; i < results.length; i++) {
            results[i] = _evaluate(tree.terms[i], underNegation || tree.negated[i]);
        }
        return combine(tree.op, results, tree.negated);
    }
}
