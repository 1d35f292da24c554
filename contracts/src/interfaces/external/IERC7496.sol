// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC7496
/// @notice The subset of ERC-7496 (dynamic traits) that the predicates call.
interface IERC7496 {
    /// @notice Returns the value of a trait of a token.
    /// @param tokenId  The token id.
    /// @param traitKey The key of the trait.
    /// @return The value, or zero if the trait is not set.
    function getTraitValue(uint256 tokenId, bytes32 traitKey) external view returns (bytes32);
}
