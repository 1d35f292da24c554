// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @title IAccessProofPredicate
/// @notice Grants access to an account that signed an ERC-8257 AccessProof: an EIP-712 message bound to the tool, the
///         account, this predicate, the chain and a deadline. The call's `data` is
///         abi.encode(uint64 deadline, bytes signature).
/// @dev An AccessProof proves the consent of the account, not a permission: combine this predicate with another one.
///      Signatures of accounts with code are also checked through ERC-1271. If `data` is malformed, expired or signed
///      by another account, access is denied. If the ERC-1271 call fails, the result is unknown.
///
///      Needs no configuration. The ERC-1271 call has a stipend of 60,000 gas, and is repeated with 120,000 if it fails,
///      unless the creator chooses another stipend. `gasNeeded` covers the first ERC-1271 call; accounts without code need
///      about 6,000.
///
///      The message does not contain the registry, but it contains this predicate, and each registry has its own
///      instance: a tool of another registry must not use this predicate.
interface IAccessProofPredicate is IStipendPredicate {
    /// @notice Sets the stipend of the ERC-1271 call of a tool. Only callable by the creator of the tool.
    /// @param toolId  The tool id.
    /// @param stipend Gas. If zero, the default stipends apply.
    function setStipend(uint256 toolId, uint256 stipend) external;

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
