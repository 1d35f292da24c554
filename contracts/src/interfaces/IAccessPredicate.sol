// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice One access requirement, in machine-readable form.
/// @param kind  The type of the requirement: the ERC-165 id of a marker interface in `IRequirementTypes.sol`, or of a
///              marker published elsewhere. `0x00000000` means "unknown".
/// @param data  ABI-encoded parameters. The marker interface of `kind` defines the encoding.
/// @param label Short human-readable text, such as "Chonks on Base". Untrusted: escape it before displaying it.
struct AccessRequirement {
    bytes4 kind;
    bytes data;
    string label;
}

/// @notice How the entries of a requirement list combine: all of them are required, or any one of them.
enum RequirementLogic {
    AND,
    OR
}

/// @title IAccessPredicate
/// @notice Decides which accounts may use a tool, based on token holdings, allowlists, subscriptions, votes or any
///         other onchain condition.
/// @dev ERC-165 interface id `0xbdf9dc18`. A predicate that supports ERC-165 must report support for this interface.
///      Otherwise the registry rejects it.
interface IAccessPredicate {
    /// @notice Returns whether `account` may use tool `toolId`.
    /// @dev Returns true if access is granted and false if access is denied. A predicate that cannot determine the
    ///      answer must revert. The registry calls this function with `staticcall` and a gas limit (200,000 in this
    ///      implementation). It accepts only a return value of exactly 32 bytes that encodes 0 or 1.
    ///      Warning: `account` is supplied by the caller. It is not `msg.sender` and it is not authenticated.
    ///      Warning: `data` is public. It must not contain secrets.
    /// @param toolId  The tool id assigned by the calling registry.
    /// @param account The account whose access is checked.
    /// @param data    Additional input of the predicate, such as a token id, a Merkle proof or a signature. Often
    ///                empty.
    /// @return True if access is granted.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice Returns the name of the implementation, such as "ERC721OwnerPredicate".
    /// @return A non-empty string for display and comparison. It carries no other meaning.
    function name() external view returns (string memory);

    /// @notice Returns the requirements an account must meet to access tool `toolId`.
    /// @dev For information only: `hasAccess` is authoritative. Nested conditions may be flattened or truncated.
    /// @param toolId The tool id.
    /// @return requirements The list of requirements.
    /// @return logic        Whether all requirements must be met, or any one of them.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);
}
