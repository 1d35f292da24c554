// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC721
/// @notice What we ask of an ERC-721 collection.
interface IERC721 {
    /// @notice How many tokens an account holds.
    /// @param owner The account.
    /// @return The number.
    function balanceOf(address owner) external view returns (uint256);

    /// @notice Who holds a token. Reverts if there is no such token.
    /// @param tokenId The token.
    /// @return The holder.
    function ownerOf(uint256 tokenId) external view returns (address);
}
