// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC7496
/// @notice What we ask of a contract that keeps dynamic traits.
interface IERC7496 {
    /// @notice The value of a token's trait.
    /// @param tokenId  The token.
    /// @param traitKey The trait.
    /// @return The value; zero if there is none.
    function getTraitValue(uint256 tokenId, bytes32 traitKey) external view returns (bytes32);
}
