// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC721
/// @notice The subset of ERC-721 that the predicates call.
interface IERC721 {
    /// @notice Returns the number of tokens an account owns.
    /// @param owner The account.
    /// @return The number of tokens.
    function balanceOf(address owner) external view returns (uint256);

    /// @notice Returns the owner of a token. Reverts if the token does not exist.
    /// @param tokenId The token id.
    /// @return The owner.
    function ownerOf(uint256 tokenId) external view returns (address);
}
