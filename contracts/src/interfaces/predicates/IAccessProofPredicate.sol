// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IPredicate } from "./IPredicate.sol";

/// @title IAccessProofPredicate
/// @notice Lets in an account that has signed for this tool, this predicate, this chain, and until a deadline: the ERC's
///         AccessProof. The call's `data` is abi.encode(uint64 deadline, bytes signature).
/// @dev Says that the account agreed, not that it is entitled: combine it with a predicate that does. Accounts with code
///      are asked through ERC-1271. Any other `data` is a no; a contract account that does not answer is "cannot tell".
interface IAccessProofPredicate is IPredicate {
    /// @notice Gas a contract account gets to check a signature.
    /// @return The amount of gas.
    function GAS_PER_SIGNATURE() external view returns (uint256);

    /// @notice What an account has to sign.
    /// @param toolId   The tool.
    /// @param account  The account.
    /// @param deadline Until when the proof holds, in seconds since 1970.
    /// @return The EIP-712 digest.
    function digestOf(uint256 toolId, address account, uint64 deadline) external view returns (bytes32);

    /// @notice The EIP-712 domain: this predicate on this chain.
    /// @return The separator.
    function domainSeparator() external view returns (bytes32);
}
