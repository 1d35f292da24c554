// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ICompositePredicate, Term } from "../interfaces/predicates/ICompositePredicate.sol";

/// @title TermLib
/// @notice Packs the terms of a composite, each into one word.
/// @dev
///
///      | bits       | content           |
///      |------------|-------------------|
///      | 0 to 159   | predicate         |
///      | 160 to 162 | the flags below   |
///      | 192 to 223 | stipend           |
library TermLib {
    /// @dev The result of the term is negated.
    uint256 internal constant NEGATE_FLAG = 1 << 160;

    /// @dev The predicate of the term supports `IReadsCallData`: its result depends on `data`.
    uint256 internal constant READS_DATA_FLAG = 1 << 161;

    /// @dev The next term belongs to the same clause.
    uint256 internal constant CONTINUES_FLAG = 1 << 162;

    uint256 private constant STIPEND_SHIFT = 192;

    /// @dev Packs a term without a stipend.
    function pack(Term calldata term) internal pure returns (uint256) {
        return uint160(term.predicate) | (term.negate ? NEGATE_FLAG : 0);
    }

    /// @dev Packs the terms of all clauses, without stipends.
    function packClauses(Term[][] calldata clauses) internal pure returns (uint256[] memory words) {
        uint256 count;
        for (uint256 i = 0; i < clauses.length; i++) {
            if (clauses[i].length == 0) revert ICompositePredicate.EmptyClause(i);
            count += clauses[i].length;
        }
        words = new uint256[](count);
        count = 0;
        for (uint256 i = 0; i < clauses.length; i++) {
            for (uint256 j = 0; j < clauses[i].length; j++) {
                words[count++] = pack(clauses[i][j]) | (j + 1 < clauses[i].length ? CONTINUES_FLAG : 0);
            }
        }
    }

    /// @dev Returns the packed term with a stipend.
    function withStipend(uint256 word, uint256 stipend) internal pure returns (uint256) {
        return word | stipend << STIPEND_SHIFT;
    }

    function predicateOf(uint256 word) internal pure returns (address) {
        return address(uint160(word));
    }

    function stipendOf(uint256 word) internal pure returns (uint256) {
        return word >> STIPEND_SHIFT;
    }

    function isNegated(uint256 word) internal pure returns (bool) {
        return word & NEGATE_FLAG != 0;
    }

    function continues(uint256 word) internal pure returns (bool) {
        return word & CONTINUES_FLAG != 0;
    }

    /// @dev Unpacks the terms from index `start` to `end - 1`.
    function unpack(uint256[] memory words, uint256 start, uint256 end) internal pure returns (Term[] memory terms) {
        terms = new Term[](end - start);
        for (uint256 i = start; i < end; i++) {
            terms[i - start] = Term({ predicate: predicateOf(words[i]), negate: isNegated(words[i]) });
        }
    }

    /// @dev Returns the index after the last term of the clause that starts at `start`.
    function clauseEnd(uint256[] memory words, uint256 start) internal pure returns (uint256 end) {
        end = start;
        while (continues(words[end])) {
            end++;
        }
        end++;
    }
}
