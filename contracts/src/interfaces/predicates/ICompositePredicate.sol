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
///      Every term is called with the same stipend, fixed when the composition is set. If the full stipend cannot be
///      forwarded, `hasAccess` reverts. The caller's gas limit, a term that burns gas and a cycle of composites can
///      make the result unknown, but cannot turn denied into granted or granted into denied.
///
///      If `data` is the call encoding of `perTerm(bytes[])`, term i receives entry i. Any other `data` is forwarded
///      to all terms unchanged. A negated term never receives the caller's `data`. It receives the selector `NEGATED`,
///      and a nested composite that receives `NEGATED` skips the terms that read `data`: their result is unknown. So
///      invalid `data` cannot grant access through a negation. `TermCallLib` has the full table.
interface ICompositePredicate is IConfiguredPredicate {
    /// @notice Emitted when the composition of a tool is set. Replaces the previous composition.
    /// @param toolId The tool id.
    /// @param op     0 for ALL, 1 for ANY.
    /// @param terms  The terms. If empty, access is denied to every account.
    event CompositionSet(uint256 indexed toolId, uint8 op, Term[] terms);

    /// @notice Emitted when the composition of a tool is set, after `CompositionSet`.
    /// @param toolId  The tool id.
    /// @param termGas The stipend of each term. Zero if there are no terms.
    event TermGasSet(uint256 indexed toolId, uint256 termGas);

    /// @notice The operator is neither 0 nor 1.
    /// @param op The given operator.
    error InvalidOperator(uint8 op);

    /// @notice The composition has more than `MAX_TERMS` terms.
    /// @param count The number of terms.
    /// @param max   `MAX_TERMS`.
    error TooManyTerms(uint256 count, uint256 max);

    /// @notice The budget is above `MAX_BUDGET`, or so small that a term would have a stipend of zero.
    /// @param budget The given budget.
    /// @param max    `MAX_BUDGET`.
    error InvalidBudget(uint256 budget, uint256 max);

    /// @notice The term is the zero address, this composite, an address without code, or a contract that supports
    ///         ERC-165 but does not report support for `IAccessPredicate`; or too little gas is left to query it.
    /// @param index     The index of the term.
    /// @param predicate The predicate of the term.
    error InvalidTerm(uint256 index, address predicate);

    /// @notice The term is negated, but its predicate reports support for `IReadsCallData`. Invalid `data` would grant
    ///         access.
    /// @param index     The index of the term.
    /// @param predicate The predicate of the term.
    error CannotNegate(uint256 index, address predicate);

    /// @notice `perTerm(bytes[])` data does not have exactly one entry per term.
    /// @param entries The number of entries.
    /// @param terms   The number of terms.
    error WrongNumberOfEntries(uint256 entries, uint256 terms);

    /// @notice Returns the operator that requires all terms.
    /// @return 0.
    function ALL() external view returns (uint8);

    /// @notice Returns the operator that requires any one term.
    /// @return 1.
    function ANY() external view returns (uint8);

    /// @notice Returns the maximum number of terms of a composition.
    /// @return The number of terms.
    function MAX_TERMS() external view returns (uint256);

    /// @notice Returns the maximum and default gas budget, divided equally among the terms. If all terms use their full
    ///         stipend, a composite of eight terms still fits in the registry's limit of 200,000 gas.
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

    /// @notice Sets the composition of a tool with a budget of `MAX_BUDGET`. Only callable by the creator of the tool.
    /// @param toolId The tool id.
    /// @param op     0 for ALL, 1 for ANY.
    /// @param terms  The terms. If empty, access is denied to every account.
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms) external;

    /// @notice Sets the composition of a tool with a smaller budget, for use as a term of another composite. Only
    ///         callable by the creator of the tool.
    /// @dev The budget should be at most `T - T / 64 - 11,000 - 3,500 * terms.length`, where T is the `termGas` of the
    ///      outer composite.
    /// @param toolId The tool id.
    /// @param op     0 for ALL, 1 for ANY.
    /// @param terms  The terms. If empty, access is denied to every account.
    /// @param budget Gas, divided equally among the terms.
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms, uint256 budget) external;

    /// @notice Returns the operator of a tool's composition.
    /// @param toolId The tool id.
    /// @return 0 for ALL, 1 for ANY. 0 if the tool is not configured.
    function getOp(uint256 toolId) external view returns (uint8);

    /// @notice Returns the terms of a tool's composition.
    /// @param toolId The tool id.
    /// @return terms The terms. Empty if the tool is not configured.
    function getTerms(uint256 toolId) external view returns (Term[] memory terms);

    /// @notice Returns the stipend of each term of a tool's composition.
    /// @param toolId The tool id.
    /// @return Gas. Zero if there are no terms.
    function termGas(uint256 toolId) external view returns (uint256);

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
