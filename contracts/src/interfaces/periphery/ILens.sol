// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "../IToolRegistry.sol";
import { ICompositePredicate, Term } from "../predicates/ICompositePredicate.sol";

/// @title ILens
/// @notice Reads everything about tools in one call, for indexers, wallets and command-line tools. Works without
///         deployment through `DeploylessCall`.
/// @dev Predicates and tokens are untrusted: every call to them has a gas limit, and a failure of one tool or term does
///      not affect the others. Gas is measured with cold storage only if nothing was read before in the same call.
interface ILens {
    /// @notice The state of a tool. `Unknown`: the registry failed with an error that is not part of ERC-8257.
    enum Status {
        Live,
        NotFound,
        Deregistered,
        Unknown
    }

    /// @notice A tool.
    /// @param status           The state of the tool.
    /// @param config           Its configuration. Empty unless the tool is live.
    /// @param predicateHasCode Whether the access predicate has code.
    struct Tool {
        Status status;
        ToolConfig config;
        bool predicateHasCode;
    }

    /// @notice The result of an access check.
    /// @param ok      False if the result is unknown.
    /// @param granted Whether access is granted.
    /// @param gasUsed The gas used by the registry and the predicate.
    struct Access {
        bool ok;
        bool granted;
        uint256 gasUsed;
    }

    /// @notice The requirements of a tool.
    /// @param ok           False if the predicate failed or exceeds the limits of ERC-8257. The list is then empty.
    /// @param requirements The requirements.
    /// @param logic        How they combine.
    struct Requirements {
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
    /// @param ok         Whether the call succeeded.
    /// @param gasUsed    The gas used by the called contract.
    /// @param returnData The first 32 bytes of the return data.
    /// @param size       The size of the return data.
    struct Measurement {
        bool ok;
        uint256 gasUsed;
        bytes32 returnData;
        uint256 size;
    }

    /// @notice A call to measure.
    struct Call {
        address target;
        bytes data;
    }

    /// @notice The requirements exceed the limits of ERC-8257.
    error RequirementsTooLarge();

    /// @notice Returns tools.
    /// @param registry The registry.
    /// @param toolIds  The tool ids.
    /// @return tools The tools, in the same order.
    function getTools(IToolRegistry registry, uint256[] calldata toolIds) external view returns (Tool[] memory tools);

    /// @notice Checks access to tools for one account.
    /// @param registry The registry.
    /// @param toolIds  The tool ids.
    /// @param account  The account.
    /// @param data     The `data` of each tool. If empty, no tool has `data`.
    /// @return results The results, in the same order. Unknown for tools that are not live.
    function checkAccess(IToolRegistry registry, uint256[] calldata toolIds, address account, bytes[] calldata data)
        external
        view
        returns (Access[] memory results);

    /// @notice Returns the requirements of tools, within the limits of ERC-8257.
    /// @param predicates The access predicate of each tool.
    /// @param toolIds    The tool ids.
    /// @return results The requirements, in the same order.
    function getRequirements(IAccessPredicate[] calldata predicates, uint256[] calldata toolIds)
        external
        view
        returns (Requirements[] memory results);

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
    /// @param data      The `data` of the access check. Negated terms receive `NEGATED` instead.
    /// @return terms The terms, in order across clauses.
    function getTerms(ICompositePredicate composite, uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (TermView[] memory terms);

    /// @notice Measures the gas of calls, each to a warm account, as predicates call tokens.
    /// @param calls The calls.
    /// @return results The results, in the same order.
    function measure(Call[] calldata calls) external view returns (Measurement[] memory results);
}
