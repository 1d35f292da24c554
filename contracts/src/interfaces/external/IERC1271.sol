// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC1271
/// @notice Signatures of contracts.
interface IERC1271 {
    /// @notice Tells whether a signature is the contract's own.
    /// @param hash      What was signed.
    /// @param signature The signature, in a form of the contract's choice.
    /// @return `0x1626ba7e` if it is.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}
