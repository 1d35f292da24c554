// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC20
/// @notice The subset of ERC-20 that the predicates call.
interface IERC20 {
    /// @notice Returns the balance of an account.
    /// @param account The account.
    /// @return The balance in the token's smallest unit.
    function balanceOf(address account) external view returns (uint256);
}
