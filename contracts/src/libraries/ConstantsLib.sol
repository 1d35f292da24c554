// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title ConstantsLib
/// @notice Every number with a clause behind it.
library ConstantsLib {
    /// @dev Longest metadata URI in bytes, not characters (ERC-8257, Metadata URI Length Cap).
    uint256 internal constant MAX_METADATA_URI_BYTES = 2048;

    /// @dev Most gas a predicate gets for one answer. The ERC leaves the figure open; the reference uses the same. A
    ///      predicate that needs more never answers, so this bounds what asking can cost.
    uint256 internal constant PREDICATE_GAS_CAP = 200_000;

    /// @dev The call data of a negated term in a composite. A predicate whose answer depends on call data cannot tell when
    ///      it gets this: its no would be turned into a yes.
    bytes4 internal constant NEGATED_TERM = bytes4(keccak256("negatedTerm()"));

    /// @dev Gas for one ERC-165 question: what ERC-165 lets an honest contract use.
    uint256 internal constant PROBE_GAS = 30_000;

    /// @dev Gas that must be left before a question is put. A caller keeps 1/64 of what is left, so forwarding PROBE_GAS
    ///      takes 30,477; the steps up to and including the call take the rest: 100 for a warm account, 2,600 if it is one
    ///      that delegates to cold code (EIP-7702), and a margin.
    uint256 internal constant MIN_GAS_TO_PROBE = 33_700;
}
