// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice One thing an account must fulfil to be let in, in a form a program can act on.
/// @param kind  What sort of requirement this is: the ERC-165 id of a marker in `IRequirementTypes.sol`, or of a
///              marker published elsewhere. `0x00000000` stands for "unknown".
/// @param data  ABI-encoded details, laid out as the marker of `kind` says.
/// @param label Short text for people, such as "Chonks on Base". Untrusted: encode it before showing it.
struct AccessRequirement {
    bytes4 kind;
    bytes data;
    string label;
}

/// @notice How the entries of a requirement list combine: all of them, or any one of them.
enum RequirementLogic {
    AND,
    OR
}

/// @title IAccessPredicate
/// @notice Decides who may use a tool. Anyone can write one: token holdings, allowlists, subscriptions, votes.
/// @dev ERC-165 interface id `0xbdf9dc18`. A predicate that answers ERC-165 must also claim this interface, or the
///      registry refuses it.
interface IAccessPredicate {
    /// @notice Tells whether `account` may use tool `toolId`.
    /// @dev Three answers are open to a predicate: true, false, and a revert for "cannot tell". The registry calls with
    ///      `staticcall`, at most 200,000 gas in ours, and accepts only a return of exactly 32 bytes holding 0 or 1.
    ///      Warning: `account` is what the caller claims. It is not `msg.sender` and nobody has authenticated it.
    ///      Warning: `data` is public. Never ask for a secret in it.
    /// @param toolId  The tool in question, as numbered by the registry that calls.
    /// @param account The account in question.
    /// @param data    What the predicate needs besides: a token id, a Merkle proof, a signature; often empty.
    /// @return Whether access is granted.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice The name of the implementation, such as "ERC721OwnerPredicate".
    /// @return A text that is never empty. Consumers compare it and show it, and read nothing else into it.
    function name() external view returns (string memory);

    /// @notice Lists what it takes to be let in, so that an agent can plan.
    /// @dev A hint: `hasAccess` decides. A list with nested conditions may be flattened or abbreviated.
    /// @param toolId The tool in question.
    /// @return requirements The single requirements.
    /// @return logic        Whether all of them are needed or one is enough.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);
}
