// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "../IAccessPredicate.sol";
import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @notice A predicate inside a composite, and whether its answer counts the other way round.
struct Term {
    address predicate;
    bool negate;
}

/// @title ICompositePredicate
/// @notice Combines predicates: all of them, or any of them, each as it is or negated.
/// @dev Kleene logic over three answers. ALL is no if any term is no, else cannot tell if any term cannot, else yes; ANY is
///      the mirror image; the negation of cannot tell is cannot tell, and so is a composite whose answer hangs on it.
///
///      Every term gets the same gas, fixed when the composition is set, or is not asked at all. So no gas a caller picks,
///      no term that burns gas and no cycle of composites turns one answer into another.
///
///      Call data: `perTerm(bytes[])` encoded as a call gives term i entry i; anything else goes to all terms as it is. A
///      negated term never sees it: it gets NEGATED, on which a composite inside passes over terms that read call data. So
///      junk never becomes a yes by being negated.
interface ICompositePredicate is IConfiguredPredicate {
    /// @notice The composition of a tool was set, in place of the one before.
    /// @param toolId The tool.
    /// @param op     0 for all, 1 for any.
    /// @param terms  The terms; none denies everyone.
    event CompositionSet(uint256 indexed toolId, uint8 op, Term[] terms);

    /// @notice With the composition goes what gas each of its terms gets.
    /// @param toolId  The tool.
    /// @param termGas Gas for each term; zero without terms.
    event TermGasSet(uint256 indexed toolId, uint256 termGas);

    /// @notice The operator is neither 0 nor 1.
    /// @param op What was given.
    error InvalidOperator(uint8 op);

    /// @notice More terms than there may be.
    /// @param count How many were given.
    /// @param max   How many there may be.
    error TooManyTerms(uint256 count, uint256 max);

    /// @notice The budget is above the limit or leaves a term no gas.
    /// @param budget What was given.
    /// @param max    What it may be.
    error InvalidBudget(uint256 budget, uint256 max);

    /// @notice The term is the zero address, this composite, an address without code, or a contract that says it answers
    ///         ERC-165 but does not claim `IAccessPredicate`; or too little gas was left to ask it.
    /// @param index     Which term.
    /// @param predicate Its address.
    error InvalidTerm(uint256 index, address predicate);

    /// @notice The term reads call data, so negating it would turn junk into a yes.
    /// @param index     Which term.
    /// @param predicate Its address.
    error CannotNegate(uint256 index, address predicate);

    /// @notice The call data does not have one entry for each term.
    /// @param entries How many it has.
    /// @param terms   How many there are.
    error WrongNumberOfEntries(uint256 entries, uint256 terms);

    /// @notice The operator that lets in if all terms say yes.
    /// @return 0
    function ALL() external view returns (uint8);

    /// @notice The operator that lets in if any term says yes.
    /// @return 1
    function ANY() external view returns (uint8);

    /// @notice How many terms a composition can have.
    /// @return The value.
    function MAX_TERMS() external view returns (uint256);

    /// @notice Gas shared equally by the terms unless less is asked for. With eight terms that burn it all, the whole still
    ///         fits into the registry's 200,000.
    /// @return The value.
    function MAX_BUDGET() external view returns (uint256);

    /// @notice Gas for finding out what a term requires, its decoding included.
    /// @return The amount of gas.
    function GAS_PER_INTROSPECTION() external view returns (uint256);

    /// @notice Call data that begins with this selector carries an entry for each term.
    /// @return The value.
    function PER_TERM() external view returns (bytes4);

    /// @notice The call data of a negated term.
    /// @return The value.
    function NEGATED() external view returns (bytes4);

    /// @notice Sets the composition of a tool, with the whole budget. Its creator only.
    /// @param toolId The tool.
    /// @param op     0 for all, 1 for any.
    /// @param terms  The terms; none denies everyone.
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms) external;

    /// @notice Sets the composition of a tool that is itself a term of another composite, and so has less gas.
    /// @dev Choose at most what the outer composite gives each of its terms (`termGas`) less a 64th, 11,000, and 3,500 per term.
    /// @param toolId The tool.
    /// @param op     0 for all, 1 for any.
    /// @param terms  The terms; none denies everyone.
    /// @param budget Gas shared equally by the terms.
    function setComposition(uint256 toolId, uint8 op, Term[] calldata terms, uint256 budget) external;

    /// @notice How the terms of a tool combine.
    /// @param toolId The tool.
    /// @return 0 for all, 1 for any; 0 also if never set.
    function getOp(uint256 toolId) external view returns (uint8);

    /// @notice The terms of a tool.
    /// @param toolId The tool.
    /// @return terms All of them; none also if never set.
    function getTerms(uint256 toolId) external view returns (Term[] memory terms);

    /// @notice Gas each term of a tool gets to answer.
    /// @param toolId The tool.
    /// @return Zero if there are no terms.
    function termGas(uint256 toolId) external view returns (uint256);

    /// @notice What a predicate requires, or a revert if it does not say or says too much. For `getRequirements`, which must
    ///         survive whatever a term returns and so asks through this.
    /// @param predicate The predicate.
    /// @param toolId    The tool.
    /// @return requirements At most as many and as long as `RequirementListLib` allows.
    /// @return logic        How they combine.
    function introspect(address predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);
}
