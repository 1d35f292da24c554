// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC1155
/// @notice The subset of ERC-1155 that the predicates call.
interface IERC1155 {
    /// @notice Returns the balance of `accounts[i]` for token `ids[i]`, for every i.
    /// @param accounts The accounts.
    /// @param ids      The token ids. Same length as `accounts`.
    /// @return The balances. Same length as `accounts`.
    function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory);
}
