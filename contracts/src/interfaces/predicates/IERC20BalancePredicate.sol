// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IConfiguredPredicate } from "./IConfiguredPredicate.sol";

/// @title IERC20BalancePredicate
/// @notice Lets in who holds at least an amount of a token.
/// @dev A token without code cannot be held and is a no; one that does not answer is "cannot tell". Warning: balances can
///      be borrowed for a moment; ask again when it matters.
interface IERC20BalancePredicate is IConfiguredPredicate {
    /// @notice The balance a tool asks for was set.
    /// @param toolId     The tool.
    /// @param token      The token; the zero address denies everyone.
    /// @param minBalance The least amount that lets in, in the token's smallest unit.
    event ToolERC20Configured(uint256 indexed toolId, address indexed token, uint256 minBalance);

    /// @notice A minimum of zero would let everyone in; an open tool needs no predicate.
    error MinBalanceIsZero();

    /// @notice Gas the token gets for its answer: enough for tokens that compute balances behind two proxies.
    /// @return The amount of gas.
    function GAS_PER_QUESTION() external view returns (uint256);

    /// @notice Sets the balance a tool asks for. Its creator only.
    /// @param toolId     The tool.
    /// @param token      The token; the zero address denies everyone.
    /// @param minBalance The least amount that lets in, in the token's smallest unit; not zero.
    function configureToolERC20(uint256 toolId, address token, uint256 minBalance) external;

    /// @notice The balance a tool asks for.
    /// @param toolId The tool.
    /// @return token      The token; zero also if never set.
    /// @return minBalance The least amount that lets in.
    function getToolERC20Config(uint256 toolId) external view returns (address token, uint256 minBalance);
}
