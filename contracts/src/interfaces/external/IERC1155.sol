// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC1155
/// @notice What we ask of an ERC-1155 collection.
interface IERC1155 {
    /// @notice Balances of account i in token i, for every i.
    /// @param accounts The accounts.
    /// @param ids      As many token ids.
    /// @return As many balances.
    function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory);
}
