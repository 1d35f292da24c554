// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title ConstantsLib
/// @notice Limits and selectors shared by the registry and the predicates.
library ConstantsLib {
    /// @dev Maximum length of a metadata URI in bytes (ERC-8257, Metadata URI Length Cap).
    uint256 internal constant MAX_METADATA_URI_BYTES = 2048;

    /// @dev Gas limit of the registry's call to a predicate. ERC-8257 does not fix a value; the reference
    ///      implementation uses the same one. A predicate that needs more gas always fails.
    uint256 internal constant PREDICATE_GAS_LIMIT = 200_000;

    /// @dev The `data` that a composite passes to a negated term. Predicates whose result depends on `data` revert on
    ///      it: otherwise their denial would be negated to a grant.
    bytes4 internal constant NEGATED_TERM = bytes4(keccak256("negatedTerm()"));

    /// @dev The selector at the start of `data` that carries one entry per term of a composite.
    bytes4 internal constant PER_TERM_DATA = bytes4(keccak256("perTerm(bytes[])"));

    /// @dev Stipend of an ERC-165 query: the maximum that ERC-165 allows `supportsInterface` to use.
    uint256 internal constant PROBE_GAS = 30_000;

    /// @dev Gas that must be left before an ERC-165 query. Forwarding PROBE_GAS under the 63/64 rule takes 30,477. The
    ///      rest covers the call to a warm account (100), `DELEGATION_GAS`, and a margin.
    uint256 internal constant MIN_GAS_TO_PROBE = 43_100;

    /// @dev Upper bound for the additional cost of calling an account whose EIP-7702 delegation points to cold code:
    ///      2,600 on Ethereum, 10,100 on Monad.
    uint256 internal constant DELEGATION_GAS = 12_000;
}
