// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "../IAccessPredicate.sol";
import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @notice A predicate inside a composite, and whether its result is negated.
struct Term {
    address predicate;
    bool negate;
}

/// @title ICompositePredicate
/// @notice Combines predicates with ALL or ANY. Each term can be negated.
/// @dev Uses three-valued (Kleene) logic over granted, denied and unknown:
///
///      | operator | result                                                                       |
///      |----------|------------------------------------------------------------------------------|
///      | ALL      | denied if a term is denied; else unknown if a term is unknown; else granted  |
///      | ANY      | granted if a term is granted; else unknown if a term is unknown; else denied |
///      | NOT      | swaps granted and denied; unknown stays unknown                              |
///
///      If the result is unknown, `hasAccess` reverts.
///
///      Terms can be grouped into clauses. The terms of a clause are combined with the other operator: ALL of (ANY of
///      …), or ANY of (ALL of …). So `(A or B) and not C` is ALL of the clauses [A, B] and [not C], in one composite.
///      Every formula can be written in this form.
///
///      Every term is called with an exact stipend, fixed when the composition is set. If the full stipend cannot be
///      forwarded, `hasAccess` reverts. The caller's gas limit, a term that burns gas and a cycle of composites can
///      make the result unknown, but cannot turn denied into granted or granted into denied.
///
///      If `data` is the call encoding of `perTerm(bytes[])`, term i receives entry i; terms are counted across clauses.
///      Any other `data` is forwarded to all terms unchanged. A negated term never receives the caller's `data`. It
///      receives the selector `NEGATED`, and a nested composite that receives `NEGATED` skips the terms that read
///      `data`: their result is unknown. So invalid `data` cannot grant access through a negation. `TermCallLib` has the
///      full table.
///
///      The result for the zero address is unknown: a term denies access to it, and the negation would grant it.
interface ICompositePredicate is IConfiguredPredicate {
    /// @notice Emitted when a composition without clauses of several terms is set. Replaces the previous composition.
    /// @param toolId The tool id.
    /// @param op     0 for ALL, 1 for ANY.
    /// @param terms  The terms. If empty, access is denied to every account.
    event CompositionSet(uint256 indexed toolId, uint8 op, Term[] terms);

    /// @notice Emitted instead of `CompositionSet` if a clause has several terms.
    /// @param toolId  The tool id.
    /// @param op      0 for ALL, 1 for ANY: how the clauses combine.
    /// @param clauses The clauses.
    event ClausesSet(uint256 indexed toolId, uint8 op, Term[][] clauses);

    /// @notice Emitted when the composition of a tool is set, after `CompositionSet` or `ClausesSet`.
    /// @param toolId  The tool id.
    /// @param termGas The stipend of each term.
    event TermGasSet(uint256 indexed toolId, uint256[] termGas);

    /// @notice The operator is neither 0 nor 1.
    /// @param op The given operator.
    error InvalidOperator(uint8 op);

    /// @notice The composition has more than `MAX_TERMS_PER_COMPOSITION` terms.
    /// @param count The number of terms.
    /// @param max   `MAX_TERMS_PER_COMPOSITION`.
    error TooManyTerms(uint256 count, uint256 max);

    /// @notice A clause has no terms.
    /// @param index The index of the clause.
    error EmptyClause(uint256 index);

    /// @notice `termGas` is neither empty nor has one entry per term.
    /// @param entries The number of entries.
    /// @param terms   The number of terms.
    error WrongNumberOfStipends(uint256 entries, uint256 terms);

    /// @notice The stipends of the terms, or what they report to need (`gasNeeded`), add up to more than `MAX_BUDGET`.
    /// @param budget The sum.
    /// @param max    `MAX_BUDGET`.
    error InvalidBudget(uint256 budget, uint256 max);

    /// @notice The term reports that it needs more gas than its stipend (`gasNeeded`), or the stipend is smaller than
    ///         what any predicate needs. Configure the predicate with a smaller stipend, or give the term a larger one.
    /// @param index     The index of the term.
    /// @param predicate The predicate of the term.
    /// @param needed    The gas that the term needs.
    /// @param termGas   The stipend of the term.
    error TermGasTooLow(uint256 index, address predicate, uint256 needed, uint256 termGas);

    /// @notice The term is the zero address, this composite or an address without code; or too little gas is left to
    ///         query it.
    /// @param index     The index of the term.
    /// @param predicate The predicate of the term.
    error InvalidTerm(uint256 index, address predicate);

    /// @notice The term supports ERC-165 but does not report support for `IAccessPredicate`.
    /// @param predicate The predicate of the term.
    error InvalidAccessPredicate(address predicate);

    /// @notice The term is negated, but its predicate reports support for `IReadsCallData`. Invalid `data` would grant
    ///         access.
    /// @param index     The index of the term.
    /// @param predicate The predicate of the term.
    error CannotNegate(uint256 index, address predicate);

    /// @notice `perTerm(bytes[])` data does not have exactly one entry per term.
    /// @param entries The number of entries.
    /// @param terms   The number of terms.
    error WrongNumberOfEntries(uint256 entries, uint256 terms);

    /// @notice `perTerm(bytes[])` data is not the ABI encoding of its entries.
    error InvalidEntries();

    /// @notice The composition has a clause of several terms, which `getTerms` cannot return. Call `getClauses`.
    /// @param toolId The tool id.
    error HasClauses(uint256 toolId);

    /// @notice The account is the zero address.
    error ZeroAccount();

    /// @notice Returns the operator that requires all terms.
    /// @return 0.
    function ALL() external view returns (uint8);

    /// @notice Returns the operator that requires any one term.
    /// @return 1.
    function ANY() external view returns (uint8);

    /// @notice Returns the maximum number of terms of a composition.
    /// @return The number of terms.
    function MAX_TERMS_PER_COMPOSITION() external view returns (uint256);

    /// @notice Returns the maximum sum of the stipends of the terms. If all terms use their full stipend, a composite of
    ///         eight terms still fits in the registry's limit of 200,000 gas, at Ethereum's gas prices, with shared `data`
    ///         of up to 2,048 bytes, or with `perTerm(bytes[])` data for one Merkle proof of the maximum length.
    /// @return Gas.
    function MAX_BUDGET() external view returns (uint256);

    /// @notice Returns the gas limit for reading and decoding the requirements of one term.
    /// @return Gas.
    function GAS_PER_INTROSPECTION() external view returns (uint256);

    /// @notice Returns the selector that marks `data` with one entry per term: `perTerm(bytes[])`.
    /// @return The selector.
    function PER_TERM() external view returns (bytes4);

    /// @notice Returns the `data` that negated terms receive: the selector of `negatedTerm()`.
    /// @return The selector.
    function NEGATED() external view returns (bytes4);

    /// @notice Sets the composition of a tool, with the default stipends. Only callable by the creator of the tool.
    /// @dev By default a term has the gas that it reports to need for this tool (`gasNeeded`), if it is configured already,
    ///      and an equal share of the rest of `MAX_BUDGET`. `gasNeeded` assumes plain tokens and Ethereum's gas prices:
    ///      lists of proxied tokens beside many other terms, and chains with higher prices, need chosen stipends.
    /// @param toolId The tool id.
    /// @param op     0 for ALL, 1 for ANY.
    /// @param terms  The terms. If empty, access is denied to every account.
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms) external;

    /// @notice Sets the composition of a tool with clauses. Only callable by the creator of the tool.
    /// @dev A term that is configured already and reports that it needs more gas than its stipend is rejected. This
    ///      includes a composite as a term: with the default stipends it needs almost all of the registry's gas limit.
    ///      Use clauses instead, or choose smaller stipends for its terms.
    /// @param toolId  The tool id.
    /// @param op      0 for ALL, 1 for ANY: how the clauses combine. The terms of a clause combine with the other
    ///                operator.
    /// @param clauses The clauses, each with at least one term. If empty, access is denied to every account.
    /// @param termGas The stipend of each term, in order across clauses. If empty, the default
    ///                stipends apply.
    function setClauses(uint256 toolId, uint8 op, Term[][] calldata clauses, uint256[] calldata termGas) external;

    /// @notice Returns the operator of a tool's composition.
    /// @param toolId The tool id.
    /// @return 0 for ALL, 1 for ANY. 0 if the tool is not configured.
    function getOp(uint256 toolId) external view returns (uint8);

    /// @notice Returns the terms of a composition whose clauses have one term each. Reverts with `HasClauses` otherwise.
    /// @param toolId The tool id.
    /// @return terms The terms. Empty if the tool is not configured.
    function getTerms(uint256 toolId) external view returns (Term[] memory terms);

    /// @notice Returns the clauses of a tool's composition.
    /// @param toolId The tool id.
    /// @return clauses The clauses. Empty if the tool is not configured.
    function getClauses(uint256 toolId) external view returns (Term[][] memory clauses);

    /// @notice Returns the stipends of the terms of a tool's composition, in order across clauses.
    /// @param toolId The tool id.
    /// @return stipends Gas of each term.
    function termGas(uint256 toolId) external view returns (uint256[] memory stipends);

    /// @notice Returns the requirements of another predicate. Reverts if the call fails or if the result exceeds the
    ///         limits of `RequirementListLib`.
    /// @dev `getRequirements` calls this function on itself, so that a term that reverts or returns invalid data cannot
    ///      make `getRequirements` revert.
    /// @param predicate The predicate.
    /// @param toolId    The tool id.
    /// @return requirements The requirements.
    /// @return logic        How the requirements combine.
    function introspect(address predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);
}
