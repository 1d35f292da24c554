// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IStipendPredicate } from "./IStipendPredicate.sol";

/// @title IERC20BalancePredicate
/// @notice Grants access to accounts that hold at least a minimum balance of an ERC-20 token.
/// @dev If the call to the token fails, the result is unknown. Access is denied to the zero address, which holds the
///      burned tokens of many contracts. Warning: balances can be borrowed (flash loans). Repeat the check whenever
///      access is used.
interface IERC20BalancePredicate is IStipendPredicate {
    /// @notice Emitted when the required balance of a tool is set.
    /// @param toolId     The tool id.
    /// @param token      The token.
    /// @param minBalance The minimum balance, in the token's smallest unit.
    event ToolERC20Configured(uint256 indexed toolId, address indexed token, uint256 minBalance);

    /// @notice The token is the zero address.
    error ZeroToken();

    /// @notice The token has no code.
    /// @param token The token.
    error TokenNoCode(address token);

    /// @notice The minimum balance is zero, which would grant access to every account.
    error ZeroMinBalance();

    /// @notice Sets the required balance of a tool, with the default stipends. Only callable by the creator of the
    ///         tool.
    /// @dev Assumes that `balanceOf` returns the balance in the token's smallest unit.
    /// @param toolId     The tool id.
    /// @param token      The token.
    /// @param minBalance The minimum balance, in the token's smallest unit. Must not be zero.
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance) external;

    /// @notice Sets the required balance of a tool and the stipend of the `balanceOf` call. Only callable by the creator
    ///         of the tool.
    /// @param toolId     The tool id.
    /// @param token      The token.
    /// @param minBalance The minimum balance.
    /// @param stipend    Gas.
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance, uint256 stipend) external;

    /// @notice Returns the required balance of a tool.
    /// @param toolId The tool id.
    /// @return token      The token. Zero if the tool is not configured.
    /// @return minBalance The minimum balance.
    function getToolERC20Config(uint256 toolId) external view returns (address token, uint256 minBalance);
}
