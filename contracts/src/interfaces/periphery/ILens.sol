// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "../IToolRegistry.sol";
import { ICompositePredicate, Term } from "../predicates/ICompositePredicate.sol";

/// @notice The state of a tool. `Unknown`: the registry failed with an error that is not part of ERC-8257.
enum ToolStatus {
    Live,
    NotFound,
    Deregistered,
    Unknown
}

/// @notice A tool.
/// @param status           The state of the tool.
/// @param config           Its configuration. Empty unless the tool is live.
/// @param predicateHasCode Whether the access predicate has code.
struct ToolView {
    ToolStatus status;
    ToolConfig config;
    bool predicateHasCode;
}

/// @notice The result of an access check.
/// @param ok      False if the result is unknown.
/// @param granted Whether access is granted.
/// @param gasUsed The gas used by the registry and the predicate.
struct AccessView {
    bool ok;
    bool granted;
    uint256 gasUsed;
}

/// @notice The requirements of a tool.
/// @param ok           False if the predicate failed or exceeds the limits of ERC-8257. The list is then empty.
/// @param requirements The requirements.
/// @param logic        How they combine.
struct RequirementsView {
    bool ok;
    AccessRequirement[] requirements;
    RequirementLogic logic;
}

/// @notice A term of a composite.
/// @param predicate The predicate.
/// @param negate    Whether its result is negated.
/// @param clause    The index of its clause.
/// @param stipend   Its stipend.
/// @param gasNeeded The gas it reports to need. Zero if it reports nothing.
/// @param ok        False if the result is unknown, with ample gas.
/// @param granted   The result for the account, before negation.
/// @param gasUsed   The gas it used.
struct TermView {
    address predicate;
    bool negate;
    uint256 clause;
    uint256 stipend;
    uint256 gasNeeded;
    bool ok;
    bool granted;
    uint256 gasUsed;
}

/// @notice A measured call.
/// @param hasCode Whether the target has code. If not, it was not called.
/// @param ok      Whether the call succeeded and returned at least 32 bytes.
/// @param gasUsed The gas used by the call, including a small constant overhead.
/// @param word    The first 32 bytes of the return data. Zero if not `ok`.
struct Measurement {
    bool hasCode;
    bool ok;
    uint256 gasUsed;
    uint256 word;
}

/// @notice A call to measure.
/// @param target   The contract to call.
/// @param gasLimit The gas limit of the call.
/// @param data     The call data.
struct MeasuredCall {
    address target;
    uint256 gasLimit;
    bytes data;
}

/// @title ILens
/// @notice Reads everything about tools in one call, for indexers, wallets and command-line tools. Works without
///         deployment through `DeploylessCall`.
/// @dev Predicates and tokens are untrusted: every call to them has an exact gas limit, and a failure of one tool or term
///      does not affect the others. If the gas limit of a call cannot be forwarded in full, the whole call reverts with
///      `NotEnoughGas`: repeat it with more gas or for fewer tools. Large lists of requirements can have the same effect.
///      Gas is measured with cold storage only if nothing was read before in the same call.
interface ILens {
    /// @notice The requirements exceed the limits of ERC-8257.
    error RequirementsTooLarge();

    /// @notice Returns tools.
    /// @param registry The registry.
    /// @param toolIds  The tool ids.
    /// @return tools The tools, in the same order.
    function getTools(IToolRegistry registry, uint256[] calldata toolIds)
        external
        view
        returns (ToolView[] memory tools);

    /// @notice Checks access to tools for one account.
    /// @param registry The registry.
    /// @param toolIds  The tool ids.
    /// @param account  The account.
    /// @param data     The `data` of each tool. If empty, no tool has `data`.
    /// @return results The results, in the same order. Unknown for tools that are not live.
    function checkAccess(IToolRegistry registry, uint256[] calldata toolIds, address account, bytes[] calldata data)
        external
        view
        returns (AccessView[] memory results);

    /// @notice Returns the requirements of tools, within the limits of ERC-8257.
    /// @param predicates The access predicate of each tool.
    /// @param toolIds    The tool ids.
    /// @return results The requirements, in the same order.
    function getRequirements(IAccessPredicate[] calldata predicates, uint256[] calldata toolIds)
        external
        view
        returns (RequirementsView[] memory results);

    /// @notice Returns the requirements of one tool. Reverts if the predicate fails, returns invalid data or exceeds the
    ///         limits of ERC-8257.
    /// @param predicate The access predicate.
    /// @param toolId    The tool id.
    /// @return requirements The requirements.
    /// @return logic        How they combine.
    function readRequirements(IAccessPredicate predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);

    /// @notice Returns the terms of a composite, with the result and the gas of each for one account.
    /// @param composite The composite.
    /// @param toolId    The tool id.
    /// @param account   The account.
    /// @param data      The `data` of the access check. Every term receives what the composite passes to it.
    /// @return terms The terms, in order across clauses.
    function getTerms(ICompositePredicate composite, uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (TermView[] memory terms);

    /// @notice Measures the gas of calls, made in the same way as predicates call tokens: to a warm account, with an
    ///         exact gas limit. To measure each with cold storage, measure one per call of this function.
    /// @param calls The calls.
    /// @return results The results, in the same order.
    function measure(MeasuredCall[] calldata calls) external view returns (Measurement[] memory results);
}
