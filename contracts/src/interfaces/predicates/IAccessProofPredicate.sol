// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IPredicate } from "./IPredicate.sol";

/// @title IAccessProofPredicate
/// @notice Grants access to an account that signed an ERC-8257 AccessProof: an EIP-712 message bound to the tool, the
///         account, this predicate, the chain and a deadline. The call's `data` is
///         abi.encode(uint64 deadline, bytes signature).
/// @dev An AccessProof proves the consent of the account, not a permission: combine this predicate with another one.
///      Signatures of accounts with code are also checked through ERC-1271. If `data` is malformed, expired or signed
///      by another account, access is denied. If the ERC-1271 call fails, the result is unknown.
interface IAccessProofPredicate is IPredicate {
    /// @notice Returns the stipend of the ERC-1271 call.
    /// @return Gas.
    function GAS_PER_SIGNATURE() external view returns (uint256);

    /// @notice Returns the digest that the account must sign.
    /// @param toolId   The tool id.
    /// @param account  The account.
    /// @param deadline The last second in which the proof is valid, as a Unix timestamp.
    /// @return The EIP-712 digest.
    function digestOf(uint256 toolId, address account, uint64 deadline) external view returns (bytes32);

    /// @notice Returns the EIP-712 domain separator of this predicate on this chain.
    /// @return The domain separator.
    function domainSeparator() external view returns (bytes32);
}
