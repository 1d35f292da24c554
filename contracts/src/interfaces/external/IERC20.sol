// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC20
/// @notice What we ask of an ERC-20 token.
interface IERC20 {
    /// @notice How much an account holds.
    /// @param account The account.
    /// @return The amount in the token's smallest unit.
    function balanceOf(address account) external view returns (uint256);
}
