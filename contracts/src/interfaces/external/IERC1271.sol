// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC1271
/// @notice Signature validation for contract accounts.
interface IERC1271 {
    /// @notice Returns whether `signature` is valid for `hash` on behalf of this contract.
    /// @param hash      The signed hash.
    /// @param signature The signature. The contract defines its format.
    /// @return `0x1626ba7e` if the signature is valid.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}
