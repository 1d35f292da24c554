// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IRequirementTypes
/// @notice Marker interfaces. The ERC-165 id of a marker is the `kind` of an `AccessRequirement`, and the marker's
///         comment fixes how its `data` is encoded.
/// @dev Each marker has one function without arguments, so its id is that function's selector and anyone can recompute
///      it from the name. The functions are never called and nobody implements them. A new marker must not share its
///      id with any published one; a test pins and compares all of them.

/// @notice The account holds at least one token of an ERC-721 collection. Kind `0xbdf8c428`.
/// @dev data = abi.encode(address collection)
interface IERC721Holding {
    /// @notice Marker only; its selector is the kind.
    function erc721Holding() external;
}

/// @notice The account holds a given token id of an ERC-1155 collection. Kind `0xcb429230`.
/// @dev data = abi.encode(address collection, uint256 tokenId)
interface IERC1155Holding {
    /// @notice Marker only; its selector is the kind.
    function erc1155Holding() external;
}

/// @notice The account has a running subscription of at least a given tier. Kind `0x44387cc2`.
/// @dev data = abi.encode(address collection, uint8 minTier)
interface ISubscription {
    /// @notice Marker only; its selector is the kind.
    function subscription() external;
}
