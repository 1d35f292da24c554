// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IERC20BalancePredicate
/// @notice Grants access to accounts that hold at least a minimum balance of an ERC-20 token.
/// @dev If the token has no code, access is denied. If the call to the token fails, the result is unknown. Warning:
///      balances can be borrowed (flash loans). Repeat the check whenever access is used.
interface IERC20BalancePredicate is IConfiguredPredicate {
    /// @notice Emitted when the required balance of a tool is set.
    /// @param toolId     The tool id.
    /// @param token      The token. If zero, access is denied to every account.
    /// @param minBalance The minimum balance, in the token's smallest unit.
    event ToolERC20Configured(uint256 indexed toolId, address indexed token, uint256 minBalance);

    /// @notice The minimum balance is zero, which would grant access to every account.
    error MinBalanceIsZero();

    /// @notice Returns the stipend of the `balanceOf` call. Sufficient for rebasing tokens behind two proxies.
    /// @return Gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice Sets the required balance of a tool. Only callable by the creator of the tool.
    /// @param toolId     The tool id.
    /// @param token      The token. If zero, access is denied to every account.
    /// @param minBalance The minimum balance, in the token's smallest unit. Must not be zero unless `token` is zero.
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance) external;

    /// @notice Returns the required balance of a tool.
    /// @param toolId The tool id.
    /// @return token      The token. Zero if the tool is not configured.
    /// @return minBalance The minimum balance.
    function getToolERC20Config(uint256 toolId) external view returns (address token, uint256 minBalance);
}
