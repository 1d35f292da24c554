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

/// @notice The account holds at least an amount of an ERC-20 token. Kind `0x812b02ee`.
/// @dev data = abi.encode(address token, uint256 minBalance)
interface IERC20Balance {
    /// @notice Marker only; its selector is the kind.
    function erc20Balance() external;
}

/// @notice The account holds the token named in the call's `data`, and a trait of it has one of some values. Kind
///         `0x37d8dc22`.
/// @dev data = abi.encode(address collection, address traitsContract, bytes32 traitKey, bytes32[] allowedValues)
interface IERC7496Trait {
    /// @notice Marker only; its selector is the kind.
    function erc7496Trait() external;
}

/// @notice The account is on a list that is known by its Merkle root; the proof comes in the call's `data`. Kind
///         `0xa2d33eab`.
/// @dev data = abi.encode(bytes32 root). A leaf is keccak256(keccak256(abi.encode(uint256 toolId, address account))), a
///      node keccak256 of its two children in ascending order, and the call's `data` abi.encode(bytes32[] proof).
interface IMerkleAllowlist {
    /// @notice Marker only; its selector is the kind.
    function merkleAllowlist() external;
}

/// @notice The account has signed the ERC's AccessProof challenge, handed over in the call's `data`. Kind `0x498eb5bb`.
/// @dev data = abi.encode(bytes32 domainSeparator). The call's `data` is abi.encode(uint64 deadline, bytes signature).
interface IAccessProof {
    /// @notice Marker only; its selector is the kind.
    function accessProof() external;
}

/// @notice Nobody gets in. Kind `0xcc79571f`.
/// @dev data is empty.
interface IAlwaysDenied {
    /// @notice Marker only; its selector is the kind.
    function alwaysDenied() external;
}

/// @notice The opposite of another requirement. Kind `0x88ec392b`.
/// @dev data = abi.encode(bytes4 kind, bytes data) of the requirement that must not be fulfilled.
interface INegatedRequirement {
    /// @notice Marker only; its selector is the kind.
    function negatedRequirement() external;
}

/// @notice Several requirements that count as one. Kind `0x2f4d5a99`.
/// @dev data = abi.encode(uint8 logic, AccessRequirement[] requirements)
interface INestedRequirements {
    /// @notice Marker only; its selector is the kind.
    function nestedRequirements() external;
}

/// @notice Not a requirement: what a predicate claims through ERC-165 if its answer depends on the call's `data`. Such a
///         predicate must not be negated, or junk in `data` would become a yes. Id `0x612d2c12`.
/// @dev Never a `kind`; published here because it shares their namespace.
interface IReadsCallData {
    /// @notice Marker only; its selector is the interface id.
    function readsCallData() external;
}
