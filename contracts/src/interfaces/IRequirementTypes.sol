// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IRequirementTypes
/// @notice Marker interfaces. The ERC-165 id of a marker is the `kind` of an `AccessRequirement`. The comment of the
///         marker defines the encoding of `data`.
/// @dev Each marker declares one function without arguments, so its interface id equals that function's selector. The
///      functions are never implemented or called. Interface ids must be unique; a test pins all of them.

/// @notice The account holds at least one token of an ERC-721 collection. Kind `0xbdf8c428`.
/// @dev data = abi.encode(address collection)
interface IERC721Holding {
    /// @notice Marker only. The selector is the kind.
    function erc721Holding() external;
}

/// @notice The account holds a specific token id of an ERC-1155 collection. Kind `0xcb429230`.
/// @dev data = abi.encode(address collection, uint256 tokenId)
interface IERC1155Holding {
    /// @notice Marker only. The selector is the kind.
    function erc1155Holding() external;
}

/// @notice The account has an active subscription of at least `minTier`. Kind `0x44387cc2`.
/// @dev data = abi.encode(address collection, uint8 minTier)
interface ISubscription {
    /// @notice Marker only. The selector is the kind.
    function subscription() external;
}

/// @notice The account holds at least `minBalance` of an ERC-20 token. Kind `0x812b02ee`.
/// @dev data = abi.encode(address token, uint256 minBalance)
interface IERC20Balance {
    /// @notice Marker only. The selector is the kind.
    function erc20Balance() external;
}

/// @notice The account owns the token whose id is passed in the call's `data`, and a trait of that token has one of the
///         allowed values. Kind `0x37d8dc22`.
/// @dev data = abi.encode(address collection, address traitsContract, bytes32 traitKey, bytes32[] allowedValues)
interface IERC7496Trait {
    /// @notice Marker only. The selector is the kind.
    function erc7496Trait() external;
}

/// @notice The account is in the allowlist with this Merkle root. The call's `data` carries the proof. Kind
///         `0xa2d33eab`.
/// @dev data = abi.encode(bytes32 root). A leaf is keccak256(keccak256(abi.encode(uint256 toolId, address account))). A
///      node is keccak256 of its two children in ascending order. The call's `data` is abi.encode(bytes32[] proof).
interface IMerkleAllowlist {
    /// @notice Marker only. The selector is the kind.
    function merkleAllowlist() external;
}

/// @notice The account has signed an ERC-8257 AccessProof. The call's `data` carries the signature. Kind `0x498eb5bb`.
/// @dev data = abi.encode(bytes32 domainSeparator). The call's `data` is abi.encode(uint64 deadline, bytes signature).
interface IAccessProof {
    /// @notice Marker only. The selector is the kind.
    function accessProof() external;
}

/// @notice Access is denied to every account. Kind `0xcc79571f`.
/// @dev data is empty.
interface IAlwaysDenied {
    /// @notice Marker only. The selector is the kind.
    function alwaysDenied() external;
}

/// @notice The negation of another requirement. Kind `0x88ec392b`.
/// @dev data = abi.encode(bytes4 kind, bytes data) of the requirement that must not be met.
interface INegatedRequirement {
    /// @notice Marker only. The selector is the kind.
    function negatedRequirement() external;
}

/// @notice A nested list of requirements. Kind `0x2f4d5a99`.
/// @dev data = abi.encode(uint8 logic, AccessRequirement[] requirements)
interface INestedRequirements {
    /// @notice Marker only. The selector is the kind.
    function nestedRequirements() external;
}

/// @notice Not a requirement. A predicate reports support for this interface through ERC-165 if its result depends on
///         the call's `data`. Such a predicate must not be negated: invalid `data` would then grant access. Interface
///         id `0x612d2c12`.
/// @dev Never used as a `kind`. Declared here because it shares the namespace of the kinds.
interface IReadsCallData {
    /// @notice Marker only. The selector is the interface id.
    function readsCallData() external;
}
