// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IMerkleAllowlistPredicate
/// @notice Lets in who is on the tool's list. The chain knows the list by its Merkle root; the call's `data` carries the
///         proof: abi.encode(bytes32[] proof).
/// @dev A leaf is hashed twice, so no inner node can pass for one, and bound to tool and account, so a proof is good for
///      nothing else. A node is the hash of its children in ascending order. Any other `data` is a no.
interface IMerkleAllowlistPredicate is IConfiguredPredicate {
    /// @notice The list of a tool was set.
    /// @param toolId The tool.
    /// @param root   The root of its list; zero denies everyone.
    event AllowlistRootSet(uint256 indexed toolId, bytes32 root);

    /// @notice Longest proof that is looked at: enough for 2**64 accounts.
    /// @return The value.
    function MAX_PROOF_LENGTH() external view returns (uint256);

    /// @notice Sets the list of a tool. Its creator only.
    /// @param toolId The tool.
    /// @param root   The root of the list; zero denies everyone.
    function setAllowlistRoot(uint256 toolId, bytes32 root) external;

    /// @notice The root of a tool's list.
    /// @param toolId The tool.
    /// @return Zero if it denies everyone or was never set.
    function getAllowlistRoot(uint256 toolId) external view returns (bytes32);

    /// @notice The leaf of an account in a tool's list.
    /// @param toolId  The tool.
    /// @param account The account.
    /// @return The leaf.
    function leafOf(uint256 toolId, address account) external pure returns (bytes32);
}
