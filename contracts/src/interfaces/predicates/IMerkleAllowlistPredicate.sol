// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IMerkleAllowlistPredicate
/// @notice Grants access to accounts in the tool's allowlist. The predicate stores the Merkle root of the allowlist.
///         The call's `data` carries the proof: abi.encode(bytes32[] proof).
/// @dev A leaf contains the tool id and the account, so a proof is valid for one tool and one account. Leaves are
///      hashed twice, so an inner node cannot be used as a leaf. A node is the hash of its children in ascending order.
///      If `data` is not a valid proof, access is denied. `gasNeeded` covers a proof of the maximum length.
interface IMerkleAllowlistPredicate is IConfiguredPredicate {
    /// @notice Emitted when the allowlist of a tool is set.
    /// @param toolId The tool id.
    /// @param root   The Merkle root. If zero, access is denied to every account.
    event AllowlistRootSet(uint256 indexed toolId, bytes32 root);

    /// @notice Returns the maximum length of a proof. Sufficient for 2**64 accounts.
    /// @return The number of proof elements.
    function MAX_PROOF_LENGTH() external view returns (uint256);

    /// @notice Sets the allowlist of a tool. Only callable by the creator of the tool.
    /// @param toolId The tool id.
    /// @param root   The Merkle root. If zero, access is denied to every account.
    function setAllowlistRoot(uint256 toolId, bytes32 root) external;

    /// @notice Returns the Merkle root of a tool's allowlist.
    /// @param toolId The tool id.
    /// @return The root. Zero if access is denied to every account or the tool is not configured.
    function getAllowlistRoot(uint256 toolId) external view returns (bytes32);

    /// @notice Returns the leaf of an account in a tool's allowlist.
    /// @param toolId  The tool id.
    /// @param account The account.
    /// @return The leaf.
    function leafOf(uint256 toolId, address account) external pure returns (bytes32);
}
